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
    [
      "sed -- 'w P' -e p",
      "sed -s -- 'w P' -e p",
      "sed -I .bak p f",
      "uniq -- f -P",
      "uniq f +P",
      "uniq -c - P",
      "xxd -- f -P",
    ],
    [
      "python3 /dev/stdin",
      "python3 ../../dev/fd/0",
      "python3 //dev/./stdin",
      "python3 /proc/self/fd/0",
      "python3 -u /dev/stdin",
    ],
    [
      "python3 -i x.py",
      "python3 -ui x.py",
      "python3 -m timeit x",
      "python3 -mcode",
      "python3 -Im pdb x.py",
      "perl -d x.pl",
    ],
    [
      "bash /dev/stdin",
      "bash -x /dev/fd/0",
      "node /dev/stdin",
      "node -i",
      "node --env-file=x y.js",
      "php -a",
      "lua -i x.lua",
    ],
    [
      "julia -e x",
      "groovy -e x",
      "elixir -e x",
      "guile -c x",
      "tclsh",
      "racket -e x",
      "octave --eval x",
      "sbcl --eval x",
    ],
    [
      "make 'X=$(shell id)'",
      "make 'X!=id'",
      "make 'CFLAGS=`id`' all",
      "make CC=./p",
      "make 'X=a;id'",
      "make 'X = $(shell id)'",
    ],
    [
      "tar cf h:a f",
      "tar -cfh:a f",
      "tar --file=u@h:a -c f",
      "curl -w '%output{P}' u",
      "curl --write-out=%output{P} u",
    ],
    [
      "diff -l a b",
      "fzf --preview x",
      "dc -e '!id'",
      "mysql -e '\\! id'",
      "mysql -e 'system id'",
      "openssl rand -out P 9",
    ],
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
    [
      "sed -n -e 2p -- f",
      "sed -n -- 2p f",
      "uniq -c +1 f",
      "uniq -f 1 +2",
      "make CFLAGS=-O2 V=1 all",
      "make PREFIX=/usr/x",
    ],
    [
      "python3 -u x.py 5",
      "python3 -m json.tool f",
      "python3 -W ignore x.py /dev/stdin2",
      "diff -u a b",
      "curl -w '%{time_total}' u",
    ],
    ["bash -x x.sh", "tar czf ./a:b f", "tar czf a f --exclude=b", "mysql -e 'select 1'", "openssl version"],
    ["ls -la", "grep -rn x .", "cat f", "curl -s http://x", "jq -r .a f", "test -f x", "fd x", "tree -L 2"],
  ])("leaves %j, … alone", (...texts) => {
    for (const text of texts) expect(hazardsOf(text)[0], text).toBeUndefined();
  });
});
