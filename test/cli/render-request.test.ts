import { execFileSync } from "node:child_process";
import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { renderAnswers, renderCall, renderRequest } from "../../src/cli/render-request.ts";
import type { ReviewRequest } from "../../src/graph/review/request.ts";
import type { ReviewItem } from "../../src/graph/review/review-item.ts";

const colors = picocolors.createColors(false);
const bash: ReviewItem = {
  kind: "call",
  id: "a",
  name: "Bash",
  skill: "tidy",
  args: { command: "node apply.mjs 'my inbox' \\\n  --force\u001b[2K" },
  description: "no rule allows it",
  allowed: ["approve", "edit", "reject"],
};
const form = {
  type: "object",
  properties: {
    colour: { enum: ["red", "blue"], title: "Colour" },
    sure: { type: "boolean" },
    count: { type: "integer" },
  },
  required: ["colour"],
};
const question: ReviewItem = {
  kind: "question",
  id: "q",
  name: "AskUser",
  args: {},
  description: "Which one?\nThink.",
  allowed: ["respond", "reject"],
  form,
};

function toRequest(items: ReviewItem[], errors?: string[]): ReviewRequest {
  const empty = { action_requests: [], actionRequests: [], review_configs: [], reviewConfigs: [] };
  return { id: "req-1", items, ...(errors ? { errors } : {}), ...empty };
}

it("a command of several lines shows where they part", () => {
  expect(renderCall("Bash", { command: 'echo "tidying"\ntouch evil-file' })).toBe(
    '$ echo "tidying" ⏎ touch evil-file',
  );
});

describe("renderRequest", () => {
  it("shows the whole command, why it is asked, and no control character", () => {
    expect(renderRequest(toRequest([bash]), colors)).toBe(
      "\nThe skill tidy wants to use Bash:\n  $ node apply.mjs 'my inbox' \\\n      --force<U+001B>[2K\n" +
        "  Why you are asked: no rule allows it\n",
    );
  });

  it("shows what is written, and each rule that always would add, on a line of its own", () => {
    const item = {
      ...bash,
      args: { command: "npm test && touch a" },
      command: "npm test && touch a",
      description: "all of it in words",
      reason: '"npm test" is not on the list',
      writes: ["a", "/x/b"],
      always: ["Bash(npm test:*)", "Bash(touch a)"],
    };
    expect(renderRequest(toRequest([item]), colors)).toBe(
      "\nThe skill tidy wants to use Bash:\n  $ npm test && touch a\n  Writes: a, /x/b\n" +
        '  Why you are asked: "npm test" is not on the list\n' +
        "  Approve always would add to your settings for this project:\n" +
        "    Bash(npm test:*)\n    Bash(touch a)\n",
    );
  });

  it.each([
    ["a bidirectional mark", "\u202e", "<U+202E>"],
    ["a blank without width", "\u200b", "<U+200B>"],
    ["a joiner", "\u2060", "<U+2060>"],
    ["an escape", "\u001b[2K", "<U+001B>[2K"],
    ["a carriage return", "\r", "<U+000D>"],
    ["a carriage return before a line break", "\r\n", "<U+000D>\n"],
    ["a tag", "\u{e0041}", "<U+E0041>"],
  ])("%s is seen wherever it stands", (_name, hidden, seen) => {
    const args = { command: `ls ${hidden}x`, [`key${hidden.trim()}`]: `value${hidden}x` };
    const item = {
      ...bash,
      args,
      reason: `why${hidden}x`,
      writes: [`w${hidden}x`],
      always: [`Bash(a${hidden}x)`],
    };
    const shown = renderRequest(toRequest([item]), colors);
    const raw = hidden.replace(/\n|[^\p{C}\n]/gu, "");
    expect(shown).not.toContain(raw);
    expect(shown).toContain(`$ ls ${seen.replace("\n", "\n    ")}x`);
    for (const place of ["value", "w", "Bash(a"]) expect(shown).toContain(place + seen.replace(/\n.*/s, ""));
    expect(renderAnswers("t", toRequest([item]))).not.toContain(raw);
  });

  it("a long command and a long list of rules are whole", () => {
    const command = `echo ${"x".repeat(20_000)}`;
    const always = Array.from({ length: 9 }, (_, index) => `Bash(echo ${index} ${"y".repeat(400)})`);
    const shown = renderRequest(toRequest([{ ...bash, args: { command }, always }]), colors);
    for (const text of [command, ...always]) expect(shown).toContain(text);
  });

  it("hides nothing of what would be written", () => {
    const content = Array.from({ length: 3000 }, (_, line) => `line ${line}`).join("\n");
    const shown = renderRequest(
      toRequest([{ ...bash, name: "Write", args: { path: "a", content } }]),
      colors,
    );
    expect(shown).toContain("  path: a\n  content:\n    line 0\n");
    expect(shown).toContain("    line 2999\n");
  });

  it("shows a question with its form", () => {
    expect(renderRequest(toRequest([question]), colors)).toBe(
      "\nThe model asks:\n  Which one?\n  Think.\n  - colour: Colour (one of red, blue; required)\n" +
        "  - sure (boolean)\n  - count (integer)\n",
    );
  });

  it("numbers several items and says why the last answer was not taken", () => {
    const shown = renderRequest(toRequest([bash, question], ["No decision."]), colors);
    expect(shown).toMatch(/^The last answer was not taken: No decision\.\n\n1 of 2: The skill tidy/);
    expect(shown).toContain("2 of 2: The model asks:");
  });

  it("shows what a tool of the caller asks", () => {
    expect(renderRequest({ text: "Sure?" } as never, colors)).toContain('"text": "Sure?"');
  });
});

describe("renderAnswers", () => {
  it("every command names the thread, the request and the carried flags", () => {
    const lines = renderAnswers("t-1", toRequest([bash]), "--cwd /x").split("\n");
    const commands = lines.filter((line) => line.includes("skillgraph"));
    expect(commands).toHaveLength(3);
    for (const command of commands)
      expect(command).toContain("skillgraph resume t-1 --request req-1 --cwd /x --");
  });

  it("a yes for ever is offered where a rule is, and says what it adds", () => {
    const always = ["Bash(npm test:*)"];
    const one = renderAnswers("t", toRequest([{ ...bash, always }]));
    expect(one).toContain("--approve --always   # adds Bash(npm test:*) to your settings for this project\n");
    expect(renderAnswers("t", toRequest([bash]))).not.toContain("--always");
    const two = renderAnswers("t", toRequest([bash, { ...bash, id: "b", always }]));
    expect(two).toContain("--approve --always   # all 2; adds Bash(npm test:*) to");
    // What comes after the question is not answered by it.
    expect(renderAnswers("t", toRequest([bash, question, { ...bash, id: "b", always }]))).not.toContain(
      "--always",
    );
    const many = ["a", "b", "c", "d"].map((name) => `Bash(${name})`);
    expect(renderAnswers("t", toRequest([{ ...bash, always: many }]))).toContain("# adds 4 rules to");
  });

  it("a printed --edit can be pasted into a shell as it is", () => {
    const item = { ...bash, args: { command: "echo 'a' $HOME" } };
    const line = renderAnswers("t", toRequest([item]))
      .split("\n")
      .find((text) => text.includes("--edit"));
    const words = execFileSync("sh", ["-c", `set -- ${line}; printf %s "$7"`], { encoding: "utf8" });
    expect(JSON.parse(words)).toEqual(item.args);
  });

  it("long or odd arguments are not repeated", () => {
    const item = { ...bash, args: { command: "x".repeat(1000) } };
    expect(renderAnswers("t", toRequest([item]))).toContain(`--edit '{"command":"…"}'`);
  });

  it("an answer to a form shows its shape", () => {
    expect(renderAnswers("t", toRequest([question]))).toContain(
      `--answer '{"colour":"red","sure":true,"count":1}'`,
    );
  });

  it("says what an answer is for when several wait", () => {
    expect(renderAnswers("t", toRequest([bash, { ...bash, id: "b" }]))).toContain("--approve   # all 2");
    expect(renderAnswers("t", toRequest([bash, question]))).toContain(
      "--approve   # the first 1, then asks again",
    );
  });
});

describe("renderCall", () => {
  it("is one short line", () => {
    expect(renderCall("Bash", { command: "ls\n-l" })).toBe("$ ls ⏎ -l");
    expect(renderCall("Read", { path: "a.md" })).toBe("→ Read a.md");
    expect(renderCall("Grep", { pattern: "x", path: "." })).toBe("→ Grep pattern=x path=.");
    expect(renderCall("Write", { path: "a", content: "x".repeat(5000) }).length).toBeLessThan(250);
  });
});
