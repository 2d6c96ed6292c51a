import { describe, expect, it } from "vitest";
import { startCpuClock } from "../support/cpu-clock.ts";
import { decideBash, grant, rules } from "./support.ts";

const everything = [grant("Bash")];
const narrow = [grant("Bash(cat:*)", "Bash(sqlite3:*)", "Bash(*a*a*a*b)")];
const MEGABYTE = 1_000_000;
const deny = rules("Bash(git push:*)", "Read(private/**)", "Write(locked/**)");

function repeat(count: number, toText: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => toText(index)).join(" ");
}

describe("a bound for all work", () => {
  it.each([
    ["env × 20,000", `${"env ".repeat(20_000)}x`],
    ["eval × 20,000", `${"eval ".repeat(20_000)}x`],
    ["a text of 60,000 lines", `sqlite3 db '${"\n".repeat(60_000)}x'`],
    ["a list of 31,000 characters", `cat ${Array(8).fill("x/,".repeat(1300)).join(" ")}`],
    ["a wide first command", `env env ${"a ".repeat(60_000)}; sh -c "sh -c 'git push'"`],
    ["a nested wide one", `sh -c '${"env ".repeat(4900)}x'`],
    ["3,000 names", `cat ${repeat(3000, (index) => `x/${index}`)}`],
    ["1,000 copies", `cp ${repeat(3000, (index) => `a${index}`)} d`],
    ["braces that multiply", `cat ${"{a,b}".repeat(800)}`],
    ["a long computed word", `cat {.env,${"x".repeat(5000)}}`],
    ["a long path that climbs", `cat ${"a/../".repeat(200)}x`],
  ])("makes a firm question of %s, fast", (_label, command) => {
    const readCpu = startCpuClock();
    expect(decideBash(command, everything, { mode: "allow", deny }).verdict).toBe("ask");
    expect(decideBash(command, everything, { mode: "deny", deny }).verdict).toBe("deny");
    expect(decideBash(command, narrow).verdict).toBe("ask");
    expect(readCpu()).toBeLessThan(3000);
  });

  it.each([
    ["lists", `cat ${Array(4).fill("x/,".repeat(1300)).join(" ")}`],
    ["line breaks", `sqlite3 db '${"\n".repeat(19_000)}x'`],
    ["options of a wrapper", `xargs ${"--a b ".repeat(3000)}`],
    ["words of a loose wrapper", `unshare ${"a ".repeat(9000)}`],
    ["commands", "cat x; ".repeat(2000)],
    ["redirections", ">a ".repeat(5000)],
    ["stars", `cat .${"*a".repeat(1500)}`],
    ["searches of everything", "grep -r x / /usr /etc; ".repeat(500)],
    ["brackets", "$(".repeat(5000)],
  ])("decides about many %s in less than a second", (_label, command) => {
    const readCpu = startCpuClock();
    decideBash(command, narrow, { mode: "allow", deny });
    expect(readCpu()).toBeLessThan(1000);
  });

  it.each([
    ["one word", "x".repeat(MEGABYTE)],
    ["blanks and a word", `${" ".repeat(MEGABYTE)}ls`],
    ["an allowed command and a comment", `cat f # ${"x".repeat(MEGABYTE)}`],
    ["commands", "cat f; ".repeat(MEGABYTE / 7)],
    ["lines", "cat f\n".repeat(MEGABYTE / 6)],
    ["open brackets", "$(".repeat(MEGABYTE / 2)],
    ["quotes", "'\"".repeat(MEGABYTE / 2)],
    ["invisible characters", "\u200b".repeat(MEGABYTE)],
    ["half characters", "\ud800".repeat(MEGABYTE)],
    ["a here-document", `cat <<E\n${"x\n".repeat(MEGABYTE / 2)}E`],
  ])("1 MB of %s is a firm question at once, with a short reason", (_label, command) => {
    const readCpu = startCpuClock();
    for (const grants of [everything, narrow, []]) {
      for (const mode of ["ask", "allow"] as const) {
        const decision = decideBash(command, grants, { mode, deny });
        expect(decision).toMatchObject({ verdict: "ask", reason: "it is too long to be looked through" });
      }
      expect(decideBash(command, grants, { mode: "deny", deny }).verdict).toBe("deny");
    }
    expect(readCpu()).toBeLessThan(1000);
  });
});
