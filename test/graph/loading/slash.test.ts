import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { readMentions, readSlash, readUnload } from "../../../src/graph/loading/slash.ts";
import type { Skill } from "../../../src/skills/schema.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";

const names = ["log", "log-cleaner", "log reader", "说明", "c++", "quiet"];
const skills = names.map((name) => ({ name, userInvocable: name !== "quiet" }) as Skill);
const catalog = { skills, get: (name: string) => skills.find((skill) => skill.name === name) };

const mention = (text: string) => readMentions(new HumanMessage(text), catalog).map(({ name }) => name);

describe("a mention", () => {
  it.each<[string, string[]]>([
    ["clean it with $log-cleaner please", ["log-cleaner"]],
    ["use $log.", ["log"]],
    ["($log), then $log-cleaner!", ["log", "log-cleaner"]],
    ["$log-cleaner before $log and $log again", ["log-cleaner", "log"]],
    ["with $log reader today", ["log reader"]],
    ["with $log readers", ["log"]],
    ["请用 $说明。", ["说明"]],
    ["compile with $c++, please", ["c++"]],
    ["a line\n$log\nanother", ["log"]],
    ["an open ` and $log", ["log"]],
    ["`code` and $log and `more`", ["log"]],
  ])("%j names %j", (text, found) => expect(mention(text)).toEqual(found));

  it.each([
    "echo $HOME and $1 for $5",
    "$logs and $log_x and $log-",
    "$log/x and $log.txt and $log=1 and $log[0] and $log(x)",
    "a$log and a/$log and \\$log and $$log and ${log}",
    "`$log` and ``a ` $log`` here",
    "```sh\n$log\n```",
    "~~~\n$log\n```\n$log\n~~~",
    "```\n$log without an end",
    "a $quiet one",
    "$ log",
    "$LOG",
  ])("%j names nothing", (text) => expect(mention(text)).toEqual([]));

  it("a text of a megabyte of marks is read in little time", () => {
    for (const part of ["`", "$", "($a", "``` ", "$!", "\n```", "$log reader`"]) {
      const elapsed = startCpuClock();
      mention(part.repeat(1_000_000 / part.length));
      expect(elapsed()).toBeLessThan(2_000);
    }
  });
});

describe("a name at the beginning", () => {
  it("is loaded with what follows, and its way is told", () => {
    expect(readSlash(new HumanMessage("$log the $log-cleaner"), catalog)).toEqual([
      { name: "log", arguments: "the $log-cleaner", chosenBy: "person", way: "name" },
    ]);
  });
});

describe("/unload", () => {
  const read = (text: string, from: Pick<typeof catalog, "get"> = catalog) =>
    readUnload(new HumanMessage(text), from);

  it.each([
    ["/unload log", "log"],
    [" /unload  log reader \n", "log reader"],
    ["/unload /log", "log"],
    ["/unload", ""],
  ])("%j lets %j go", (text, name) => expect(read(text)).toBe(name));

  it.each(["/unloaded log", "/unload-all", "please /unload log", "/unload log\nand more", "unload log"])(
    "%j is text",
    (text) => expect(read(text)).toBeUndefined(),
  );

  it("is left to a skill of that name", () => {
    const own = { get: (name: string) => ({ name, userInvocable: true }) as Skill };
    expect(read("/unload log", own)).toBeUndefined();
  });
});
