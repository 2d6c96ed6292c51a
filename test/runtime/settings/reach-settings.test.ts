import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pickSandbox } from "../../../src/runtime/settings/reach-settings.ts";
import type { SettingsFile } from "../../../src/runtime/settings/settings-file.ts";
import { createWorkspace } from "../../support/workspace.ts";

type Sandbox = SettingsFile["sandbox"];

function pick(
  person: Sandbox,
  project: Sandbox,
  trusted: boolean,
  flag?: "auto" | "required" | "off",
  folder = "/",
) {
  const toSource = (sandbox: Sandbox) => ({ settings: sandbox === undefined ? {} : { sandbox }, folder });
  return pickSandbox(flag, toSource(person), { ...toSource(project), trusted });
}

describe("what commands may reach", () => {
  it("is confined without a network where nobody says otherwise", () => {
    const closed = { mode: "auto", network: false, writable: [], from: "default" };
    expect(pick(undefined, undefined, true)).toEqual(closed);
  });

  it("is not widened by a project that is not trusted", () => {
    const closed = { mode: "auto", network: false, writable: [], from: "default" };
    for (const mode of ["off", "auto"] as const) {
      expect(pick(undefined, { mode, network: true, writable: ["."] }, false)).toEqual(closed);
      expect(pick(undefined, mode, false)).toEqual(closed);
    }
    expect(pick("required", { mode: "off", network: true }, false)).toMatchObject({
      mode: "required",
      network: false,
    });
  });

  it("is narrowed by one that is not trusted and requires a sandbox, but not against a flag", () => {
    expect(pick("off", "required", false)).toMatchObject({ mode: "required", from: "settings" });
    expect(pick({ network: true }, { mode: "required", network: false }, false)).toMatchObject({
      mode: "required",
      network: true,
    });
    expect(pick(undefined, "required", false, "off")).toMatchObject({ mode: "off", from: "flag" });
  });

  it("is said by a trusted project where the person and the flag say nothing", () => {
    expect(pick(undefined, { mode: "off", network: true }, true)).toMatchObject({
      mode: "off",
      network: true,
      from: "settings",
    });
    expect(pick("auto", "required", true)).toMatchObject({ mode: "auto" });
    expect(pick({ network: false }, { mode: "off", network: true }, true)).toMatchObject({
      mode: "off",
      network: false,
    });
    expect(pick("off", "off", true, "required")).toMatchObject({ mode: "required", from: "flag" });
  });

  it("may be written in folders that are there, by their real paths, from the folder of the settings", () => {
    const { folder } = createWorkspace();
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real"), join(folder, "link"));
    const { writable } = pick({ writable: ["link", "missing"] }, undefined, true, undefined, folder);
    expect(writable).toEqual([join(folder, "real")]);
  });
});
