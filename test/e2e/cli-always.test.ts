import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createCli, parseLines } from "../support/cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const FENCE = "```";
const mine = ["--skills", "mine"];
const header = { name: "noter", description: "Notes a word." };
const files = (command: string) => ({
  "mine/noter/SKILL.md": skillText(header, `\n\n${FENCE}bash run\n${command}\n${FENCE}`),
});

function createNoter(command = "touch noted.txt") {
  const workspace = createWorkspace(files(command));
  return { ...createCli(workspace), workspace };
}

it("a yes for ever is printed as a command, adds what it said, and the next run asks nothing", async () => {
  const { run, workspace } = createNoter();
  const asked = await run(["run", ...mine, "/noter"]);
  expect(asked.code).toBe(3);
  expect(asked.stdout).toContain("  $ touch noted.txt\n");
  expect(asked.stdout).toContain("  Writes: noted.txt\n  Why you are asked: ");
  expect(asked.stdout).toContain(
    "  Approve always would add to your settings for this project:\n    Bash(touch noted.txt)\n",
  );
  const printed =
    /skillgraph (resume .*--approve --always) {3}# adds Bash\(touch noted\.txt\) to your settings/.exec(
      asked.stdout,
    );
  const words = printed?.[1]?.split(" ") ?? [];
  const answered = await run(words);
  expect(answered.code).toBe(0);
  expect(answered.stderr).toContain("Added to your settings for this project: Bash(touch noted.txt)\n");
  const settings = JSON.parse(
    readFileSync(join(workspace.home, ".config/skillgraph/settings.json"), "utf8"),
  ) as object;
  expect(settings).toEqual({
    projects: { [workspace.folder]: { permissions: { allow: ["Bash(touch noted.txt)"] } } },
  });
  expect((await run(["run", ...mine, "/noter"])).code).toBe(0);
  const elsewhere = join(workspace.folder, "..", "other");
  mkdirSync(elsewhere);
  const there = ["--cwd", elsewhere, "--skills", join(workspace.folder, "mine")];
  expect((await run(["run", ...there, "/noter"])).code).toBe(3);
});

it("under --json the question carries the fields, and the addition is an event", async () => {
  const { run } = createNoter();
  const asked = parseLines((await run(["run", ...mine, "--json", "/noter"])).stdout).at(-1);
  expect(asked).toMatchObject({
    request: {
      items: [{ command: "touch noted.txt", writes: ["noted.txt"], always: ["Bash(touch noted.txt)"] }],
    },
  });
  const answered = await run(["resume", String(asked?.thread), ...mine, "--json", "--approve", "--always"]);
  expect(parseLines(answered.stdout)).toContainEqual(
    expect.objectContaining({ type: "rules-added", rules: ["Bash(touch noted.txt)"] }),
  );
});

it("--always is wrong usage without --approve, and refused where no rule is offered", async () => {
  const { run, workspace } = createNoter("mkdir -p .git && touch .git/config");
  const asked = await run(["run", ...mine, "/noter"]);
  expect(asked.stdout).not.toContain("--always");
  for (const answer of [["--always"], ["--always", "--reject", "no"]]) {
    const { code, stderr } = await run(["resume", ...mine, ...answer]);
    expect(code).toBe(2);
    expect(stderr).toContain("--always goes with --approve");
  }
  const refused = await run(["resume", ...mine, "--approve", "--always"]);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("--always adds a rule, and none is offered for Bash");
  expect(workspace.exists(".git")).toBe(false);
});

it("chat takes the word, too", async () => {
  const { run, workspace } = createNoter();
  const { stderr } = await run(["chat", ...mine], { input: "/noter\nalways\n/noter\n/quit\n" });
  expect(stderr).toContain("Type y, always, n, n and why not, or /later.");
  expect(stderr).toContain("Added to your settings for this project: Bash(touch noted.txt)");
  expect(stderr.match(/Type y, always/g)).toHaveLength(1);
  expect(workspace.exists("noted.txt")).toBe(true);
});
