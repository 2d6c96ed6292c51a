import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { proposeRules } from "../../../src/permissions/ask/propose-rules.ts";
import { type CallToDecide, decideCall, type Policy, toGrant } from "../../../src/permissions/decide.ts";
import { findHazard } from "../../../src/permissions/hazards/hazards.ts";
import { createWorkspace } from "../../support/workspace.ts";
import { createPolicy, rules } from "../support.ts";

const bash = (command: string, cwd = "/ws"): CallToDecide => ({
  tool: "Bash",
  target: { kind: "command", command, cwd },
});
const writing = (path: string, tool = "Write"): CallToDecide => ({
  tool,
  target: { kind: "path", access: "write", path },
});
const propose = (call: CallToDecide, changes: Partial<Policy> = {}) =>
  proposeRules(createPolicy(changes), [], call);

describe("rules for a command", () => {
  it.each([
    ["git commit -m 'a message'", ["Bash(git commit:*)"]],
    ["npm run build:prod -- --watch", ["Bash(npm run build:prod:*)"]],
    ["npm test", ["Bash(npm test:*)"]],
    ["cargo test --all", ["Bash(cargo test:*)"]],
    ["docker ps -a", ["Bash(docker ps:*)"]],
    ["git push origin main", ["Bash(git push origin main)"]],
    ["node -e 'process.exit(1)'", ["Bash(node -e 'process.exit(1)')"]],
    ["python -c 'print(1)'", ["Bash(python -c 'print(1)')"]],
    ["sudo npm test", ["Bash(sudo npm test)"]],
    ["rm -r build", ["Bash(rm -r build)"]],
    ["npm run 'a b'", ["Bash(npm run 'a b')"]],
    ["npm --silent test", ["Bash(npm --silent test)"]],
    ["npm test --script-shell=x", ["Bash(npm test --script-shell=x)"]],
    ["./run.sh", ["Bash(./run.sh)"]],
    ["cargo test --manifest-path ../x/Cargo.toml", ["Bash(cargo test --manifest-path ../x/Cargo.toml)"]],
    ["go test -C ../x ./...", ["Bash(go test -C ../x ./...)"]],
    ["mytool '*' \"it's\" 'x:*'", ["Bash(mytool '*' 'it'\\''s' 'x:*')"]],
    ["mytool 'a:*'", ["Bash(mytool 'a:*')"]],
    ["npm test && git commit -m x && npm test", ["Bash(npm test:*)", "Bash(git commit:*)"]],
    ["npm test > out.txt", ["Bash(npm test:*)", "Write(./out.txt)"]],
  ])("%s: %j", (command, expected) => {
    expect(propose(bash(command))).toEqual(expected);
  });

  it("leaves out what is allowed already, by the settings or a skill", () => {
    const allow = rules("Bash(npm test:*)");
    expect(propose(bash("npm test && npm run lint"), { allow })).toEqual(["Bash(npm run lint:*)"]);
    const skill = toGrant("one", ["Bash(npm run lint:*)"], []);
    expect(proposeRules(createPolicy(), [skill], bash("npm test && npm run lint"))).toEqual([
      "Bash(npm test:*)",
    ]);
  });

  it.each([
    ["what is allowed", "npm test", { allow: rules("Bash") }],
    ["what is denied", "npm test", { deny: rules("Bash(npm:*)") }],
    ["what an ask rule asks about", "npm test", { ask: rules("Bash(npm:*)") }],
    ["a protected place", "touch .git/hooks/pre-commit", {}],
    ["a secret", "mytool .env", {}],
    ["git's settings", "git config core.pager less", {}],
    ["a loader variable", "env LD_PRELOAD=./x.so ls", {}],
    ["a word for a person", "skillgraph trust .", {}],
    ["a substitution", "mytool $(id)", {}],
    ["a variable", "A=1 npm test", {}],
    ["a glob", "mytool *", {}],
    ["a line break in a word", "mytool 'a\nb'", {}],
    ["an unbalanced parenthesis in a word", "mytool 'a)'", {}],
    ["what is not seen", "mytool a\u200bb", {}],
    ["a long command", `mytool ${"x".repeat(600)}`, {}],
    ["many commands", Array.from({ length: 11 }, (_, index) => `tool${index} x`).join(" && "), {}],
    ["another folder's scripts", "cd sub && npm test", {}],
  ])("proposes nothing for %s", (_what, command, changes) => {
    expect(propose(bash(command), changes)).toEqual([]);
  });

  it("the mode makes no difference", () => {
    for (const mode of ["allow", "deny"] as const)
      expect(propose(bash("npm test"), { mode })).toEqual(["Bash(npm test:*)"]);
  });
});

describe("rules for other calls", () => {
  it.each([
    ["/ws/docs/a.md", ["Write(docs/a.md)"]],
    ["/ws/a.md", ["Write(./a.md)"]],
    ["/ws/~/a.md", ["Write(./~/a.md)"]],
    ["/ws/app/[slug]/page.tsx", ["Write(app/\\[slug\\]/page.tsx)"]],
    ["/tmp/a.md", ["Write(/tmp/a.md)"]],
    ["/ws/.git/config", []],
    ["/ws/.env", []],
    ["/ws/a\nb", []],
    ["/ws/a\u202eb", []],
    ["/ws/a) ", []],
  ])("to write %j: %j, and for no other file", (path, expected) => {
    const proposed = propose(writing(path));
    expect(proposed).toEqual(expected);
    const policy = createPolicy({ allow: rules(...proposed) });
    for (const other of ["/ws/sub/a.md", "/ws/docs/b.md", "/ws/app/s/page.tsx", "/ws/sub/docs/a.md"])
      expect(decideCall(policy, [], writing(other)).verdict).toBe("ask");
  });

  it("names the host that is fetched, with its port where it has one of its own", () => {
    const fetching = (url: string) => propose({ tool: "WebFetch", target: { kind: "url", url } });
    expect(fetching("https://docs.example.com/a?b")).toEqual(["WebFetch(domain:docs.example.com)"]);
    expect(fetching("http://localhost:3000/")).toEqual(["WebFetch(domain:localhost:3000)"]);
    expect(fetching("http://[::1]:3000/")).toEqual(["WebFetch(domain:[::1]:3000)"]);
    expect(fetching("https://a@b.example/")).toEqual([]);
  });

  it("a tool of another kind is named alone", () => {
    expect(propose({ tool: "weather", target: { kind: "none" } })).toEqual(["weather"]);
    expect(propose({ tool: "mcp__files__read", target: { kind: "none" } })).toEqual(["mcp__files__read"]);
    expect(propose({ tool: "Skill", target: { kind: "none", name: "x" } })).toEqual([]);
  });

  it("a file behind a link is named by where it leads", () => {
    const { folder } = createWorkspace({ "real/a.md": "" });
    symlinkSync(join(folder, "real"), join(folder, "link"));
    mkdirSync(join(folder, "out"));
    writeFileSync(join(folder, "out/b"), "");
    const policy = createPolicy({ workspace: folder });
    const call = bash("npm test > link/x.txt", folder);
    expect(proposeRules(policy, [], call)).toEqual(["Bash(npm test:*)", "Write(real/x.txt)"]);
  });
});

describe("a proposed rule", () => {
  const commands = [
    ...[
      "git commit -m x",
      "git add a.txt",
      "npm test",
      "npm run build",
      "pnpm run x",
      "yarn test",
      "bun test",
    ],
    ...[
      "cargo test",
      "go test ./pkg",
      "docker ps",
      "node x.js",
      "make all",
      "./go.sh a",
      "curl https://a.org",
    ],
    ...["git push", "rm a.txt", "chmod +x a", "mytool a b"],
  ];
  const others = ["rm -rf x", "curl evil.example", "node -e 1", "git push --force", "sh x", "npm publish"];

  /** What a command could be turned into by who wants more than was agreed to. */
  function* mutate(command: string): Generator<string> {
    for (const other of others) {
      for (const join of ["; ", " && ", " || ", " | ", " & ", "\n"]) yield `${command}${join}${other}`;
      yield `${other}; ${command}`;
      yield `${command} $(${other})`;
      yield `${command} \`${other}\``;
      yield `${command} <(${other})`;
      yield other;
    }
    yield* [`${command} > /tmp/x`, `${command} >> .git/config`, `X=1 ${command}`, `sudo ${command}`];
    yield* [
      `LD_PRELOAD=x ${command}`,
      `timeout 5 ${command}`,
      `eval ${command}`,
      `x${command}`,
      `/tmp/${command}`,
    ];
    yield* [`${command}x`.replace(/ .*/, "x y"), `${command} .env`, `${command} ~/.ssh/id_rsa`];
  }

  it.each(commands)("for %s allows no other program, no second command and no hazard", (command) => {
    const call = bash(command);
    const proposed = propose(call);
    expect(proposed).toHaveLength(1);
    const policy = createPolicy({ allow: rules(...proposed) });
    expect(decideCall(policy, [], call).verdict).toBe("allow");
    for (const mutant of mutate(command))
      expect([mutant, decideCall(policy, [], bash(mutant)).verdict]).toEqual([mutant, "ask"]);
    for (const option of HAZARDS) {
      const words = [...command.split(" "), ...option.split(" ")];
      if (findHazard(words) === undefined) continue;
      const hazardous = words.join(" ");
      expect([hazardous, decideCall(policy, [], bash(hazardous)).verdict]).toEqual([hazardous, "ask"]);
    }
  });

  it("is never given for a hazard but as the whole command", () => {
    let seen = 0;
    for (const command of commands) {
      for (const option of HAZARDS) {
        const words = [...command.split(" "), ...option.split(" ")];
        if (findHazard(words) === undefined) continue;
        seen += 1;
        for (const rule of propose(bash(words.join(" ")))) expect(rule).toBe(`Bash(${words.join(" ")})`);
      }
    }
    expect(seen).toBeGreaterThan(40);
  });
});

const HAZARDS = [
  ...["--output=x", "--ext-diff", "--textconv", "--exec=x", "--upload-pack=x", "-o x", "--script-shell x"],
  ...[
    "--prefix /tmp",
    "--call x",
    "-c x",
    "--node-options=x",
    "--config x",
    "-exec x",
    "--toolexec x",
    "-C /tmp",
  ],
  ...["--eval=x", "-K x", "--edit-description", "--interactive", "SHELL=x", "-f x"],
];
