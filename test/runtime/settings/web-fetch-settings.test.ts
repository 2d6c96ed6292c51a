import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pickPrivateHosts } from "../../../src/runtime/settings/reach-settings.ts";
import { readSettingsFile } from "../../../src/runtime/settings/settings-file.ts";
import { createWorkspace } from "../../support/workspace.ts";

function read(webFetch: unknown) {
  const path = join(createWorkspace().folder, "settings.json");
  writeFileSync(path, JSON.stringify({ webFetch }));
  return readSettingsFile(path);
}

describe("webFetch.privateHosts", () => {
  it.each(["localhost", "localhost:3000", "10.0.0.1:80", "[::1]", "[::1]:8080", "Wiki.Intern.example"])(
    "%s is a host",
    (host) => {
      expect(read({ privateHosts: [host] })).toMatchObject({
        settings: { webFetch: { privateHosts: [host] } },
      });
    },
  );

  it.each([
    "http://localhost",
    "localhost/",
    "*.local",
    "a b",
    "user@localhost",
    "localhost:",
    "::1",
    "localhost:x",
    "",
  ])('"%s" is none, and no run starts with it', (host) => {
    expect(() => read({ privateHosts: [host] })).toThrow("not a list of hosts such as localhost:3000");
  });

  it("another key, or another kind of value, is told", () => {
    expect(read({ hosts: [] }).diagnostics[0]?.message).toContain('"webFetch.hosts". Known: privateHosts');
    expect(() => read([])).toThrow("not an object with privateHosts");
    expect(() => read({ privateHosts: "localhost" })).toThrow("not a list of hosts");
  });

  it("those of the person count always, those of a project when it is trusted", () => {
    const person = { webFetch: { privateHosts: ["A.example"] } };
    const project = { webFetch: { privateHosts: ["a.example", "b.example:1"] } };
    expect(pickPrivateHosts(person, project, false)).toEqual(["a.example"]);
    expect(pickPrivateHosts(person, project, true)).toEqual(["a.example", "b.example:1"]);
  });
});
