/**
 * Flags from the manual pages, written down apart from the table they check. `form` is a command with `_` for the
 * flag; `reads` are the flags with which it only reads, `asks` those that write, run, wait, read elsewhere or cannot
 * be told.
 */
export interface KnownFlags {
  form: string;
  reads: string;
  asks: string;
}

const LOG_READS = `-p -u -s -z -w -b -R -a -W -c -m -C -M -U3 -U 3 -S x -G x -i -E -F -P -q -g -n 2 -n2 -3 --patch
  --no-patch --stat --stat=80 --shortstat --numstat --name-only --name-status --raw --summary --dirstat --dirstat=lines
  --compact-summary --unified=2 --word-diff --word-diff=plain --word-diff-regex=. --color --color=never --no-color
  --color-words --color-words=. --color-moved --color-moved=zebra --ignore-all-space --ignore-space-change
  --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --minimal --patience --histogram
  --diff-algorithm=minimal --find-renames --find-renames=50 --find-copies --find-copies=50 --find-copies-harder
  --no-renames --diff-filter=A --pickaxe-all --pickaxe-regex --no-ext-diff --no-textconv --ignore-submodules
  --ignore-submodules=all --exit-code --quiet --check --full-index --binary --abbrev --abbrev=9
  --function-context --inter-hunk-context=2 --no-prefix --cc --merge-base --oneline --max-count=2 --max-count 2
  --skip=1 --since=2001-01-01 --since yesterday --until=now --after=2001-01-01 --before=now --author=n --committer=n
  --grep=x --graph --all --branches --branches=m* --tags --tags=v* --remotes --remotes=o* --decorate --decorate=short
  --no-decorate --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --invert-grep --all-match
  --no-merges --merges --first-parent --reverse --date=short --format=%h --pretty --pretty=oneline --abbrev-commit
  --no-abbrev-commit --follow --topo-order --date-order --author-date-order --left-right --cherry-pick --cherry-mark
  --cherry --boundary --ancestry-path --simplify-by-decoration --full-history --source --no-notes --parents --children
  --walk-reflogs --no-walk --no-mailmap --relative-date --expand-tabs --expand-tabs=4 --no-expand-tabs --show-pulls
  --count --left-only --right-only -L1,1:a.txt`;
const LOG_ASKS = `--output=x --output --outpu=x --ext-diff --ext --textconv --show-signature --submodule --submodule=log
  --no-index -Oorder -O order --stdin --format=%G? --pretty=%GS --format --relative --relative=x --notes --since
  --grep -p:x --ignore-submodules-x --oneli --patch=x`;
const DIFF_READS = LOG_READS.split(/\s(?=-)/)
  .slice(0, LOG_READS.split(/\s(?=-)/).indexOf("--oneline"))
  .filter((flag) => !/^-([iEFPqg]|n ?2|3)$/.test(flag))
  .join(" ");
const REVISION_READS = `-i -E -F -P -q -g -n 2 -n2 -3 ${LOG_READS.slice(LOG_READS.indexOf("--oneline")).replace("-L1,1:a.txt", "")}`;
const REFERENCES = `--sort=refname --format=%(refname) --contains HEAD --no-contains HEAD --merged HEAD --merged
  --no-merged HEAD --points-at HEAD --ignore-case --color --color=never --column --column=plain --no-column`;

export const KNOWN_FLAGS: KnownFlags[] = [
  {
    form: "ls _ sub",
    reads: `-a -A -l -h -1 -R -r -t -S -d -F -i -s -n -g -o -p -c -u -U -X -v -k -G -B -C -x -m -q -N -Q -b -f -D -lah
      -I x -Ix -T 4 -w 80 --all --almost-all --human-readable --recursive --reverse --directory --classify
      --classify=never --inode --size --numeric-uid-gid --no-group --full-time --group-directories-first --si --color
      --color=never --sort=size --sort size --time=atime --time-style=iso --hide=x --ignore=x --format=commas
      --indicator-style=none --quoting-style=literal --width=80 --zero --literal --escape --author`,
    asks: "-L -H -Z -z --dereference --recurs --al --all=x",
  },
  {
    form: "cat _ a.txt",
    reads: `-n -b -A -e -E -s -t -T -v -u -nE --number --number-nonblank --show-all --show-ends --squeeze-blank
      --show-tabs --show-nonprinting`,
    asks: "-x -o --output=x --numbe",
  },
  { form: "tac _ a.txt", reads: "-b -r -s x --before --regex --separator=x", asks: "-x" },
  { form: "rev _ a.txt", reads: "", asks: "-x --version=x" },
  ...["head", "tail"].map((name) => ({
    form: `${name} _ a.txt`,
    reads: `-q -v -z -n 2 -n2 -n -2 -2 -c 3 --lines=2 --lines 2 --bytes=2 --quiet --silent --verbose --zero-terminated`,
    asks: "-f -F --follow --follow=name --retry --pid=1 -s",
  })),
  {
    form: "wc _ a.txt",
    reads: "-l -w -c -m -L -lw --lines --words --bytes --chars --max-line-length",
    asks: "--files0-from=a.txt --files0-from",
  },
  {
    form: "nl _ a.txt",
    reads: `-p -b a -d x -f a -h a -i 1 -l 1 -n ln -s x -v 1 -w 3 --body-numbering=a --number-format=ln
      --number-separator=x --number-width=3 --starting-line-number=1 --line-increment=1`,
    asks: "-x",
  },
  {
    form: "sort _ a.txt",
    reads: `-n -r -u -f -b -d -g -h -i -M -V -s -c -C -z -m -R -nr -k 1 -k1,2n -t x -S 1M --numeric-sort --reverse
      --unique --ignore-case --ignore-leading-blanks --dictionary-order --general-numeric-sort --human-numeric-sort
      --month-sort --version-sort --random-sort --stable --check --check=quiet --zero-terminated --merge --key=1
      --field-separator=x --sort=numeric --buffer-size=1M --parallel=1`,
    asks: `-o x -ox -no x -uo x --output=x --output x --outp=x --compress-program=x --compress-prog x -T x
      --temporary-directory=x --random-source=x --files0-from=x --batch-size=2`,
  },
  {
    form: "uniq _ a.txt",
    reads: `-c -d -u -i -D -z -f 1 -s 1 -w 2 --count --repeated --unique --ignore-case --zero-terminated
      --all-repeated --all-repeated=none --group --group=append --skip-fields=1 --skip-chars=1 --check-chars=2`,
    asks: "a.txt -x",
  },
  {
    form: "cut _ a.txt",
    reads: `-c1 -c 1 -b 1 -f1 -d x -d, -s -n -z --bytes=1 --characters=1 --delimiter=x --fields=1 --complement
      --only-delimited --output-delimiter=x --zero-terminated`,
    asks: "-o --output=x",
  },
  {
    form: "tr _ a b",
    reads: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1",
    asks: "-x",
  },
  {
    form: "paste _ a.txt",
    reads: "-s -z -d x --serial --delimiters=x --zero-terminated",
    asks: "-o",
  },
  {
    form: "join _ a.txt b.txt",
    reads: `-i -a 1 -e x -o 0 -t x -v 1 -1 1 -2 1 -j 1 --ignore-case --header --check-order --nocheck-order
      --zero-terminated`,
    asks: "-x",
  },
  {
    form: "diff _ a.txt b.txt",
    reads: `-u -q -s -w -b -B -i -y -a -p -t -E -Z -c -U 2 -U2 -C 2 -W 80 -I x --unified --unified=2 --context
      --context=2 --brief --report-identical-files --ignore-all-space --ignore-space-change --ignore-blank-lines
      --ignore-case --ignore-tab-expansion --ignore-trailing-space --side-by-side --suppress-common-lines --text
      --show-c-function --expand-tabs --strip-trailing-cr --minimal --color --color=never --width=80 --label=x --normal`,
    asks: `-r -N -l -X x -S x --recursive --paginate --exclude-from=x --from-file=x --to-file=x --new-file
      --no-dereference -x`,
  },
  {
    form: "cmp _ a.txt b.txt",
    reads: "-s -l -b -n 2 -i 1 --silent --quiet --verbose --print-bytes --bytes=2 --ignore-initial=1",
    asks: "-x",
  },
  {
    form: "comm _ a.txt b.txt",
    reads: "-1 -2 -3 -z -12 --total --check-order --nocheck-order --output-delimiter=x --zero-terminated",
    asks: "-x",
  },
  {
    form: "column _ a.txt",
    reads: "-t -x -s x -o x -c 80 --table --fillrows --separator=x --output-separator=x --output-width=80",
    asks: "-J --json",
  },
  { form: "fold _ a.txt", reads: "-b -s -w 9 --bytes --spaces --width=9", asks: "-x" },
  { form: "expand _ a.txt", reads: "-i -t 4 --initial --tabs=4", asks: "-x" },
  { form: "unexpand _ a.txt", reads: "-a -t 4 --all --first-only --tabs=4", asks: "-x" },
  {
    form: "strings _ a.txt",
    reads: "-a -f -n 3 -t x -e s --all --print-file-name --bytes=3 --radix=x --encoding=s",
    asks: "@a.txt -T x --target=x -o",
  },
  {
    form: "od _ a.txt",
    reads: `-a -b -c -d -f -i -l -o -x -v -A x -j 1 -N 2 -t x1 -w8 -S3 --address-radix=x --skip-bytes=1
      --read-bytes=2 --format=x1 --output-duplicates --width --width=8 --strings --strings=3`,
    asks: "--traditional -z",
  },
  { form: "hexdump _ a.txt", reads: "-b -c -C -d -o -x -v -n 2 -s 1 -e x", asks: "-f a.txt -L" },
  {
    form: "xxd _ a.txt",
    reads: "-a -b -e -E -i -u -p -c 8 -g 1 -l 4 -s 1 -o 5",
    asks: "-r -revert -ps -ac a.txt",
  },
  { form: "base64 _ a.txt", reads: "-d -i -w 0 --decode --ignore-garbage --wrap=0", asks: "-o -D" },
  ...["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"].map((name) => ({
    form: `${name} _ a.txt`,
    reads: "-b -t --binary --text --tag --zero",
    asks: "-c --check",
  })),
  { form: "cksum _ a.txt", reads: "", asks: "-c --check --algorithm=md5" },
  {
    form: "file _ a.txt",
    reads: `-b -i -k -h -L -N -r -v -0 -F x --brief --mime --mime-type --mime-encoding --keep-going --no-dereference
      --dereference --no-pad --raw --separator=x`,
    asks: "-C -m x -f a.txt -z -Z -s --compile --magic-file=x --files-from=a.txt --uncompress --special-files -p",
  },
  {
    form: "stat _ a.txt",
    reads: "-f -L -t -c %n --dereference --file-system --terse --format=%n --printf=%n",
    asks: "-x",
  },
  {
    form: "du _ sub",
    reads: `-h -s -c -a -b -k -m -x -S -l -0 -d 1 -t 1 -B 1K --human-readable --summarize --total --all --apparent-size
      --bytes --one-file-system --separate-dirs --count-links --null --max-depth=1 --threshold=1 --block-size=1K
      --exclude=x --time --time=atime --si`,
    asks: "-L -D -H -X x --exclude-from=x --files0-from=x --dereference",
  },
  {
    form: "df _ .",
    reads: `-h -H -T -i -a -l -k -m -P -x tmpfs -t ext4 -B 1K --human-readable --si --print-type --inodes --all --local
      --portability --total --type=ext4 --exclude-type=tmpfs --block-size=1K --output --output=size`,
    asks: "--sync --no-sync",
  },
  {
    form: "tree _ sub",
    reads: `-a -d -f -i -s -h -p -u -g -D -F -r -t -C -n -N -q -v -U -c -J -X -x -L 2 -I x -P x --dirsfirst --noreport
      --gitignore --prune --du --si --inodes --device --matchdirs --ignore-case --filelimit=9 --timefmt=x --sort
      --sort=name --charset=x`,
    asks: "-o x -ox -l -R -Io -IR -LP -H x --fromfile --info --infofile=x --output=x",
  },
  ...["grep", "egrep", "fgrep"].map((name) => ({
    form: `${name} _ one a.txt`,
    reads: `-i -v -n -c -y -l -L -h -H -o -q -s -r -w -x -E -F -P -G -a -I -z -Z -b -m 1 -A 1 -B 1 -C 1 -e x -T -U -f b.txt
      -2 -A2 -in --ignore-case --no-ignore-case --invert-match --line-number --count --files-with-matches
      --files-without-match --no-filename --with-filename --only-matching --quiet --silent --no-messages --recursive
      --word-regexp --line-regexp --extended-regexp --fixed-strings --perl-regexp --basic-regexp --text --null
      --null-data --byte-offset --initial-tab --max-count=1 --after-context=1 --before-context=1 --context=1 --regexp=x
      --file=b.txt --include=*.txt --exclude=x --exclude-dir=x --color --color=never --colour --colour=never
      --line-buffered`,
    asks: `-R -d recurse -D read --dereference-recursive --directories=recurse --exclude-from=x --devices=read -f ../x
      --file=/etc/passwd --recurs`,
  })),
  {
    form: "rg _ one sub",
    reads: `-i -S -s -v -n -N -c -l -H -I -o -q -w -x -F -U -P -p -a -0 -. -u -A 1 -B 1 -C 1 -m 1 -M 9 -j 1 -e x -f b.txt
      -g *.ts -t ts -T ts -r x -E utf8 --ignore-case --smart-case --case-sensitive --invert-match --line-number
      --no-line-number --count --count-matches --files-with-matches --files-without-match --with-filename --no-filename
      --only-matching --quiet --word-regexp --line-regexp --fixed-strings --pcre2 --multiline --multiline-dotall
      --pretty --text --null --hidden --no-ignore --no-ignore-vcs --unrestricted --files --type-list --json --heading
      --no-heading --column --no-column --stats --trim --vimgrep --passthru --crlf --no-config --no-messages
      --after-context=1 --before-context=1 --context=1 --max-count=1 --max-columns=9 --max-depth=1 --max-filesize=1K
      --threads=1 --regexp=x --file=b.txt --glob=x --iglob=x --type=ts --type-not=ts --replace=x --encoding=utf8
      --sort=path --sortr=path --color=never --colors=x`,
    asks: `--pre x --pre=x --pre-glob=x -z --search-zip --hostname-bin=x -L --follow --ignore-file=x --type-add=x -Lz
      --hyperlink-format=x --debug`,
  },
  ...["fd", "fdfind"].map((name) => ({
    form: `${name} _ one sub`,
    reads: `-H -I -u -s -i -g -F -a -p -0 -1 -q -t f -e ts -E x -d 1 -S +1k -c never --hidden --no-ignore
      --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path
      --full-path --print0 --quiet --type=f --extension=ts --exclude=x --max-depth=1 --min-depth=1 --exact-depth=1
      --max-results=1 --size=+1k --changed-within=1d --changed-before=1d --color=never --strip-cwd-prefix
      --strip-cwd-prefix=never`,
    asks: "-x rm -X rm --exec rm --exec-batch rm --exec=rm -l --list-details -L --follow --base-directory=/ --ignore-file=x",
  })),
  {
    form: "find sub _",
    reads: `-depth -empty -false -true -nouser -nogroup -readable -writable -executable -print -print0 -ls -prune -quit
      -mount -xdev -name x -iname x -path x -ipath x -wholename x -iwholename x -regex x -iregex x -regextype posix-egrep
      -type f -size 1 -mtime 1 -atime 1 -ctime 1 -mmin 1 -amin 1 -cmin 1 -maxdepth 1 -mindepth 1 -perm 644 -user root
      -group root -uid 0 -gid 0 -links 1 -inum 1 -printf %p -newer a.txt`,
    asks: `-delete -fprint x -fprint0 x -fprintf x -fls x -exec x -execdir x -ok x -okdir x -follow -files0-from x
      -newer /etc/passwd -newermt x -samefile x -lname x -context x -unknown`,
  },
  {
    form: "jq _ . data.json",
    reads: `-r -c -e -n -s -S -M -C -a -j -R -rc --raw-output --compact-output --exit-status --null-input --slurp
      --sort-keys --monochrome-output --color-output --ascii-output --join-output --raw-input --tab --seq --stream
      --indent=2 --indent 2`,
    asks: `-f x --from-file x -L x --slurpfile n x --rawfile n x --args --jsonargs --library-path=x -- --run-tests`,
  },
  {
    form: "sed _ 2p a.txt",
    reads:
      "-n -E -r -s -u -z -e p -ne p --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --expression=p",
    asks: "-i -i.bak -ni --in-place --in-place=x -f x --file=x -l 9 --follow-symlinks --debug",
  },
  { form: "basename _ a/b", reads: "-a -z -s x --multiple --zero --suffix=x", asks: "-x" },
  { form: "dirname _ a/b", reads: "-z --zero", asks: "-x" },
  {
    form: "realpath _ a.txt",
    reads: `-e -m -s -q -z -L -P --canonicalize-existing --canonicalize-missing --no-symlinks --strip --quiet --zero
      --logical --physical --relative-to=sub --relative-base=sub`,
    asks: "-x",
  },
  {
    form: "readlink _ a.txt",
    reads: `-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet
      --silent --verbose --zero`,
    asks: "-x",
  },
  { form: "pwd _", reads: "-L -P", asks: "-x --x" },
  { form: "echo _ x", reads: "-n -e -E --x", asks: "" },
  { form: "which _ ls", reads: "-a -s --all", asks: "-i --read-alias" },
  { form: "type _ ls", reads: "-a -t -p -P -f", asks: "-x" },
  {
    form: "date _",
    reads: `-u -R -I -Iseconds -d now -r a.txt --utc --universal --rfc-email --iso-8601 --iso-8601=date
      --rfc-3339=date --date=now --reference=a.txt +%F`,
    asks: "-s x --set=x --set x -f x --file=x 01010101 -r /etc/passwd -j",
  },
  {
    form: "uname _",
    reads:
      "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --operating-system",
    asks: "x -x",
  },
  { form: "id _", reads: "-u -g -n -G -r -z --user --group --groups --name --real --zero", asks: "-Z -x" },
  { form: "whoami _", reads: "", asks: "x" },
  { form: "hostname _", reads: "", asks: "x -F -b -f -I" },
  { form: "nproc _", reads: "--all --ignore=1", asks: "x" },
  { form: "seq _ 3", reads: "-w -s x --equal-width --separator=x", asks: "-f x --format=x" },
  {
    form: "git status _",
    reads: `-s -b -v -z -u -uno --short --branch --porcelain --porcelain=v2 --long --verbose --untracked-files
      --untracked-files=no --ignored --ignored=matching --show-stash --ahead-behind --no-ahead-behind --renames
      --no-renames --find-renames --find-renames=50 --ignore-submodules --ignore-submodules=all --column --column=plain
      --no-column --null`,
    asks: "-x --pathspec-from-file=x --porc",
  },
  { form: "git diff _ -- a.txt", reads: `${DIFF_READS} --cached --staged`, asks: `${LOG_ASKS} -B -D -l9` },
  ...["log", "show", "stash list", "reflog show"].map((name) => ({
    form: `git ${name} _`,
    reads: LOG_READS,
    asks: LOG_ASKS,
  })),
  {
    form: "git rev-list _ HEAD",
    reads: REVISION_READS,
    asks: "--stdin --disk-usage --filter=blob:none --use-bitmap-index -p",
  },
  {
    form: "git config --get _ user.name",
    reads: "-z --null --local --show-origin --show-scope --name-only --bool --int --type=bool --get-all",
    asks: "--file=x -f x --blob=x --global --system --add --unset --replace-all --edit -e --includes",
  },
  { form: "git config --list _ --local", reads: "-l -z --name-only", asks: "--global --add x --file=x" },
  {
    form: "git shortlog _ HEAD",
    reads: `-n -s -e -c -q --numbered --summary --email --committer --since=now --since now --until=now --until now
      --no-merges --group=author --all`,
    asks: "-w --output=x --stdin",
  },
  {
    form: "git blame _ a.txt",
    reads: `-w -M -C -l -s -t -e -f -n -c -p -L 1,1 -L1,1 --line-porcelain --porcelain --show-email --show-name
      --show-number --root --incremental --date=short --since=now --abbrev=9 --color-lines --color-by-age --no-progress`,
    asks: "-S x --contents x --contents=/etc/passwd --ignore-revs-file=x --textconv",
  },
  {
    form: "git grep _ one",
    reads: `-i -I -v -n -c -h -H -l -L -o -q -w -E -F -G -P -W -p -z -a -A 1 -B 1 -C 1 -m 1 -e one -2 --ignore-case
      --invert-match --line-number --column --count --files-with-matches --name-only --files-without-match
      --only-matching --quiet --word-regexp --extended-regexp --fixed-strings --perl-regexp --basic-regexp --cached
      --function-context --show-function --heading --break --no-color --color --color=never --all-match --and --or --not
      --max-depth=1 --full-name --null --no-textconv`,
    asks: "-O -Ox --open-files-in-pager --open-files-in-pager=x -f x --no-index --untracked --recurse-submodules --textconv --ext-grep",
  },
  {
    form: "git ls-files _",
    reads: `-c -d -m -o -s -u -k -v -t -z -i -q --cached --deleted --modified --others --stage --unmerged --killed
      --ignored --exclude-standard --directory --no-empty-directory --error-unmatch --full-name --abbrev --abbrev=9 --eol
      --deduplicate`,
    asks: "-x y -X y --exclude-from=x --exclude-per-directory=x --recurse-submodules --with-tree=x",
  },
  {
    form: "git ls-tree _ HEAD",
    reads:
      "-r -d -t -l -z --name-only --name-status --long --full-name --full-tree --abbrev --abbrev=9 --object-only --format=%(path)",
    asks: "-x",
  },
  {
    form: "git rev-parse _ HEAD",
    reads: `-q --verify --quiet --short --short=9 --abbrev-ref --abbrev-ref=loose --symbolic --symbolic-full-name
      --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree
      --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-superproject-working-tree --all --branches
      --branches=m* --tags --tags=v* --remotes --remotes=o* --revs-only --no-revs`,
    asks: "--parseopt --sq-quote --resolve-git-dir --prefix --git-path=x",
  },
  {
    form: "git describe _",
    reads:
      "--tags --all --always --long --exact-match --first-parent --abbrev=9 --match=v* --exclude=x --candidates=2",
    asks: "--dirty --dirty=x --broken --contains",
  },
  {
    form: "git cat-file _ HEAD",
    reads: "-t -s -e -p",
    asks: "--batch --batch-check --textconv --filters --batch-all-objects",
  },
  {
    form: "git name-rev _ HEAD",
    reads: "--name-only --tags --always --refs=x --exclude=x --no-undefined",
    asks: "--stdin --annotate-stdin --all",
  },
  {
    form: "git merge-base _ HEAD HEAD",
    reads: "-a --all --octopus --independent --is-ancestor --fork-point",
    asks: "-x",
  },
  {
    form: "git diff-tree _ HEAD",
    reads: `${DIFF_READS} -r -t -v --no-commit-id --root --always --format=%h --pretty --pretty=oneline`,
    asks: "--stdin --output=x --textconv --ext-diff -Ox",
  },
  {
    form: "git for-each-ref _",
    reads: `--count=1 ${REFERENCES}`,
    asks: "--shell --perl --tcl --format=%(signature)",
  },
  {
    form: "git show-ref _",
    reads:
      "-d -s -q --head --heads --tags --dereference --hash --hash=9 --verify --quiet --abbrev --abbrev=9",
    asks: "--exclude-existing --exclude-existing=x",
  },
  {
    form: "git branch _",
    reads: `-a -r -v -vv -i --all --remotes --list --show-current --verbose --no-abbrev --abbrev=9 ${REFERENCES}`,
    asks: "-d x -D x -m x -M x -c x -C x -f x -u x x --edit-description --set-upstream-to=x --unset-upstream --track -q --delete --move -l",
  },
  {
    form: "git tag _",
    reads: `-l -i -n -n2 --list ${REFERENCES}`,
    asks: "-d x -a -s -u x -f x -m x -F x -v x x --delete --verify --sign --annotate --format=%(signature:key)",
  },
  {
    form: "git remote _",
    reads: "-v --verbose",
    asks: "add update show prune rename remove set-url set-head x",
  },
  { form: "git worktree list _", reads: "-v -z --porcelain --verbose", asks: "--expire=now" },
  {
    form: "git check-ignore _ a.txt",
    reads: "-v -n -q --verbose --non-matching --quiet --no-index",
    asks: "--stdin",
  },
  { form: "git count-objects _", reads: "-v -H --verbose --human-readable", asks: "x" },
];
