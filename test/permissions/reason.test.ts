import { describe, expect, it } from "vitest";
import { toShortReason } from "../../src/permissions/reason.ts";
import { decideBash, decidePath, grant, rules } from "./support.ts";

const LONG = "x".repeat(19_000);

describe("toShortReason", () => {
  it("leaves a short reason as it is", () => {
    expect(toShortReason('rule "Bash(ls)" allows it')).toBe('rule "Bash(ls)" allows it');
  });

  it("cuts what is quoted, and keeps what stands behind it", () => {
    expect(toShortReason(`no rule covers "${LONG}" (rules for "x": "Bash(x y)")`)).toBe(
      `no rule covers "${"x".repeat(200)}…" (rules for "x": "Bash(x y)")`,
    );
  });

  it("is one line", () => {
    expect(toShortReason('"a\n\tb" asks')).toBe('"a b" asks');
  });

  it("ends also where no quote does", () => {
    expect(toShortReason(LONG)).toHaveLength(801);
  });
});

describe("the reason of a decision about a long command", () => {
  it.each([
    `LD_PRELOAD=${LONG} ls`,
    `sed '${LONG}w P' f`,
    `sed 'p\nw ${LONG}' f`,
    `echo x > ${LONG}`,
    `cat < /${LONG}`,
    `cd /${LONG} && git status`,
    `git -C ${LONG} status`,
    `git -c a=${LONG} status`,
    `python3 -c${LONG}`,
    `npm --prefix=${LONG} test`,
    `${LONG} push`,
    `echo ${LONG}$X`,
    `cat ${"a/".repeat(50)}.env`,
  ])("is short and one line in row %#", (command) => {
    const grants = [
      grant("Bash(git status:*)", "Bash(sed:*)", "Bash(python3:*)", "Bash(npm:*)", "Bash(echo:*)"),
    ];
    for (const deny of [[], rules("Bash(git push:*)")]) {
      const { verdict, reason } = decideBash(command, grants, { deny });
      expect(verdict).toBe("ask");
      expect(reason.length).toBeLessThan(1000);
      expect(reason).not.toContain("\n");
    }
  });

  it("is short for a long path", () => {
    expect(decidePath("Write", "write", `/ws/${LONG}`).reason.length).toBeLessThan(1000);
  });
});
