import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createStudioPlace, type StudioPlace, startLauncher } from "../support/studio.ts";

let place: StudioPlace;

beforeAll(() => {
  place = createStudioPlace();
});

afterAll(() => place.remove());

async function launch(words: string[]) {
  const { output, ended } = startLauncher(place, { words });
  return { code: await ended, ...output };
}

it("a taken port is one clear line, and nothing is started", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    other.close();
  });
  const { port } = other.address() as AddressInfo;
  expect(await launch(["--port", String(port)])).toEqual({
    code: 1,
    stdout: "",
    stderr: `Port ${port} is taken. Choose another one with --port, or leave it out.\n`,
  });
});

it.each([
  ["--port", "abc", '"abc" is no port. Choose one from 1 to 65535.'],
  ["--port", "0", '"0" is no port. Choose one from 1 to 65535.'],
  ["--port", "65536", '"65536" is no port. Choose one from 1 to 65535.'],
  ["--cwd", "nowhere", 'No folder "nowhere" to work in.'],
  ["--cwd", "package.json", 'No folder "package.json" to work in.'],
])("%s %s is wrong usage, said in one line", async (name, value, message) => {
  expect(await launch([name, value])).toEqual({ code: 2, stdout: "", stderr: `${message}\n` });
});

it("an unknown option is named, with those that there are", async () => {
  const { code, stderr } = await launch(["--tunnel"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Unknown option '--tunnel'[\s\S]*--port N[\s\S]*--cwd DIR/);
});

it("--help tells the options", async () => {
  const { code, stdout } = await launch(["--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain("--browser");
});
