import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reduceEnvironment } from "../../../src/tools/process/environment.ts";
import { probeBubblewrap } from "../../../src/tools/sandbox/probe.ts";
import { createPlace } from "../call.ts";
import { whyNot } from "./confine.ts";

const environment = reduceEnvironment(process.env);
const VERSION = 'if [ "$1" = --version ]; then echo bubblewrap 0.8.0; exit; fi';
/** Takes the words after the profile, as bubblewrap does, and confines nothing. */
const RUN = 'while [ "$1" != -- ]; do if [ "$1" = --chdir ]; then cd "$2"; fi; shift; done; shift';

function plant(...lines: string[]): string {
  const file = join(createPlace().root, "bwrap");
  writeFileSync(file, ["#!/bin/bash", ...lines].join("\n"));
  chmodSync(file, 0o755);
  return file;
}

const probe = (...lines: string[]) => probeBubblewrap(plant(...lines), environment);

describe("probeBubblewrap", () => {
  it.skipIf(whyNot !== "")(`says the version of one that works${whyNot && ` (${whyNot})`}`, async () => {
    expect(await probeBubblewrap("/usr/bin/bwrap", environment)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+/),
    });
  });

  it("a program that is another one is named with what it says", async () => {
    expect(await probe("echo something else 1.0")).toEqual({
      fault: expect.stringMatching(/bwrap --version says "something else 1\.0"$/),
    });
  });

  it("one that does not start is named with its reason", async () => {
    const fault = "bwrap: setting up uid map: Permission denied";
    expect(await probe(VERSION, `echo "${fault}" >&2; exit 1`)).toEqual({
      fault: expect.stringMatching(/bwrap does not start: bwrap: setting up uid map: Permission denied$/),
    });
  });

  it("one that starts and confines nothing is not taken", async () => {
    expect(await probe(VERSION, RUN, 'exec "$@"')).toEqual({
      fault: expect.stringMatching(/bwrap does not confine: a folder beside the workspace can be written$/),
    });
  });

  it("one that prints nothing is not taken", async () => {
    expect(await probe(VERSION, "exit 0")).toEqual({ fault: expect.stringMatching(/does not start: /) });
  });

  it("a program that is not there is a fault, not a throw", async () => {
    expect(await probeBubblewrap("/nowhere/bwrap", environment)).toEqual({ fault: expect.any(String) });
  });
});
