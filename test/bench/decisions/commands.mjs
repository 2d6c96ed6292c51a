/** What agents run: looking, building, git, chains, and what asks or is refused. Each line is one command. */
const PLAIN = `
ls
ls -la
ls src
ls -R src
pwd
whoami
date +%F
cat README.md
cat README.md | head -20
cat package.json | jq .scripts
head -50 src/index.ts
tail -n 20 notes/log.txt
wc -l src/index.ts
sort notes/list.txt | uniq -c | sort -nr | head -5
cut -d, -f1 data/table.csv
diff src/a.ts src/b.ts
stat package.json
du -sh src
find . -name '*.ts'
find src -type f -name '*.test.ts' -not -path './node_modules/*'
grep -n TODO src/index.ts
grep -rn foo src
grep -rn "export function" src --include=*.ts
rg TODO src
rg -n "import .* from" -g '*.ts'
jq -r '.dependencies | keys[]' package.json
sed -n '1,40p' src/index.ts
awk '{print $1}' data/table.csv
tree -L 2
which node
node --version
npm --version
echo done
printf '%s\\n' a b
test -f package.json && echo yes
[ -d src ] && ls src
realpath src
basename src/index.ts
sha256sum package.json
git status
git status --short
git diff
git diff --stat HEAD~1
git diff --cached
git log --oneline -10
git log -p -1
git show HEAD
git show HEAD:package.json
git branch
git branch -a
git blame README.md
git ls-files
git rev-parse HEAD
git remote -v
git stash list
git add src/index.ts
git add -A
git commit -m "fix: a; b"
git commit -am 'feat: more'
git push origin main
git checkout -b topic
git fetch origin
git -C src status
git -c core.pager=cat log
git log --output=x
npm test
npm run build
npm run lint -- --fix
npm install
npx vitest run
npx tsc --noEmit
node scripts/build.mjs
node -e "console.log(1)"
python3 scripts/report.py data/table.csv
python3 -c 'print(1)'
make
make test
cargo build
go test ./...
docker ps
curl -s https://example.com
mkdir -p out/a
touch out/a/b
rm out/a/b
rm -rf out
cp src/a.ts src/c.ts
mv src/c.ts src/d.ts
chmod +x scripts/run.sh
tar czf out.tgz src
sed -i 's/a/b/' src/a.ts
echo x > out/file
cat src/a.ts > out/copy.ts
ls 2>/dev/null
npm test 2>&1 | tail -20
npm run build && npm test
cd src && ls
cd src && git status
cd src && npm test
ls *.ts
echo $HOME
cat <<< x
for f in a b; do echo $f; done
if true; then ls; fi
(cd src && ls)
sleep 1 &
X=1 npm test
timeout 10 npm test
time npm test
nice -n 5 npm run build
env A=1 node scripts/build.mjs
xargs rm
find . -name '*.tmp' -delete
find . -exec rm {} ;
sh -c "git status"
bash -lc 'npm test'
eval "ls"
sudo rm -rf /
cat .env
cat ~/.ssh/id_rsa
cat ../secret
cat /etc/passwd
echo x >> ~/.profile
echo x > .git/config
ls $(pwd)
git log \`whoami\`
git diff <(ls)
curl -o x https://example.com
wget https://example.com
ssh host ls
`;

const FILES = ["src/a.ts", "src/b.ts", "src/index.ts", "README.md", "notes/log.txt", "data/table.csv"];
const FORMS = [
  "cat _ | grep -n x",
  "head -n 5 _ && tail -n 5 _",
  "wc -l _; wc -c _",
  "git diff -- _",
  "git log --oneline -3 -- _",
  "npx prettier --check _",
  "node scripts/check.mjs _ --strict --report out/report.json",
  "grep -c 'a|b' _ | sort",
  "sed -n '1,5p' _",
  "npm test -- _",
  "git add _ && git commit -m 'chore: touch _'",
  "cp _ out/ && ls out",
];

/** More than two hundred. */
export const COMMANDS = [
  ...PLAIN.trim().split("\n"),
  ...FORMS.flatMap((form) => FILES.map((file) => form.replaceAll("_", file))),
];
