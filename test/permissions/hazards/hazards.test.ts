import { describe, expect, it } from "vitest";
import { readCommand } from "../../../src/permissions/command/read-command.ts";
import { findHazard } from "../../../src/permissions/hazards/hazards.ts";

function hazardsOf(text: string): (string | undefined)[] {
  const view = readCommand(text);
  expect(view.kind, text).toBe("readable");
  return view.commands.map((command) => findHazard(command.words));
}

describe("findHazard", () => {
  it.each([
    ["find . -exec rm {} ';'", "find . -execdir x", "find . -ok x", "find . -delete", "find . -fprintf f x"],
    ["sed -i s/a/b/ f", "sed -ni p f", "sed --in-place=.bak p f", "sed 's/a/b/e' f", "sed 's/a/b/w out' f"],
    ["sed 'w out' f", "sed '1e id' f", "sed -e p -e 'w out' f", "sed -f x f", "sed -n -e 'p;w out' f"],
    ["sed -l 1p 'w out' f", "sed -be'w out' 1p", "sed --exp 'w out' -e p f", "sed 's/[/]/;s/w out/x/' f"],
    ["rg --pre=x a", "rg --pre x a", "rg -z a", "sort -o f g", "sort -uo f g", "sort --outp=f g"],
    ["sort --compress-program=x g", "tar xf a --to-command=x", "tar xf a --checkpoint-action=exec=x"],
    ["tar -I x -xf a", "tar xIf x a", "tar --use=x -xf a", "split --filter=x f", "curl -o f u", "curl -sO u"],
    ["git -C x status", "git -c a=b status", "git --exec-path=x status", "git --git-dir=x log", "git -p log"],
    [
      "git log --output=f",
      "git log --outp=f",
      "git diff --ext-diff",
      "git grep -Oless x",
      "git grep --open x",
    ],
    ["git fetch --upload-pack=x", "git fetch ext::sh", "git submodule foreach x", "git bisect run x"],
    ["git config core.pager x", "git config core.editor list", "git rebase -x id", "git push --exec=x"],
    ["env ls", "env -S 'ls'", "printf -v a b", "xargs ls", "command ls", "nohup ls", "eval ls", "exec ls"],
    ["source f", ". f", "builtin ls", "alias a=b", "export A=1", "declare a=1", "sudo ls", "watch ls"],
    ["awk 'BEGIN{system(\"x\")}'", "awk '{print | \"sh\"}' f", "awk '{print > \"f\"}' g", "awk -f x f"],
    ["awk '\"x\" | getline'", "gawk '@load \"x\"'", "gawk -i x y", 'awk \'BEGIN{printf "a;" | "sh"}\''],
    ["python3 -c x", "python3.11 -c x", "python3 -W ignore -c x", "python3 -", "python3", "perl -e x"],
    [
      "perl -ne x f",
      "perl -pi -e x f",
      "ruby -e x",
      "node -e x",
      "node --eval=x",
      "node -r ./x y.js",
      "deno eval x",
    ],
    ["sh -c x", "bash -lc x", "bash -o pipefail -c x", "bash -s", "bash", "bash --rcfile x y", "php -r x"],
    ["/usr/bin/find . -delete", "uniq a b", "yq -i x f", "npx -c x", "make SHELL=x all", "go test -exec x"],
    [
      "npm test --prefix x",
      "npm test -C x",
      "npm test -Cx",
      "npm --prefix=x test",
      "npm test --userconfig x",
    ],
    ["npm test --script-shell x", "npm test --node-options=-rx", "npm test --pre x", "yarn --cwd x test"],
    [
      "pnpm -C x test",
      "pnpm test --dir x",
      "pnpm test --script-shell=x",
      "npx --prefix x y",
      "make -C x",
      "make -fx",
    ],
    [
      "git config get --add k v",
      "git config --get a --unset b",
      "git config a.b c",
      "git config --global a.b c",
    ],
    [
      "git config set a.b c",
      "git config --edit",
      "git config list --replace-all a.b c",
      "git archive -vo P HEAD",
    ],
    [
      "sqlite3 db '.shell id'",
      "psql -c '\\! id'",
      "pandoc -F x f",
      "test -v 'a[$(x)]'",
      "vim -c x f",
      "man -P x y",
    ],
  ])("finds what is hidden in %j, …", (...texts) => {
    for (const text of texts) expect(hazardsOf(text)[0], text).toBeTypeOf("string");
  });

  it.each([
    [
      "find . -name x -type f",
      "sed -n 1,20p f",
      "sed 's/a|b/c/g' f",
      "sed -E 's|/a|/b|;/x/d' f",
      "sed '$d' f",
    ],
    [
      "sed -n -e 1p -e '/a[0-9]/p' f",
      "rg -n --hidden x",
      "rg -uu x",
      "sort -u f",
      "sort -k1,1 -n f",
      "tar -tzf a",
    ],
    [
      "tar czf a b",
      "git status -s",
      "git --no-pager log",
      "git --version",
      "git log --oneline -5",
      "git grep -n x",
    ],
    [
      "git config --get user.name",
      "git config --global --list",
      "git diff --stat HEAD",
      "git commit -m 'a; b'",
    ],
    ["git config user.name", "git config get user.name", "git config -l", "npm test -- -C x --prefix y"],
    ["env", "printf '%s' a", "command -v git", "awk '{a;b}' f", "awk -F: '{print $1}' f", "awk '$1 > 5' f"],
    [
      "python3 x.py -c d",
      "python3 -m pytest -q",
      "python3 --version",
      "node x.js -e",
      "node --test",
      "perl x.pl -e",
    ],
    [
      "bash x.sh -c y",
      "bash -n x.sh",
      "sh x.sh",
      "uniq -c",
      "make -j4 all",
      "npm test",
      "npx tsc",
      "go test ./a",
    ],
    ["ls -la", "grep -rn x .", "cat f", "curl -s http://x", "jq -r .a f", "test -f x", "fd x", "tree -L 2"],
  ])("leaves %j, … alone", (...texts) => {
    for (const text of texts) expect(hazardsOf(text)[0], text).toBeUndefined();
  });
});
