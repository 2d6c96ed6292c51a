import { describe, expect, it } from "vitest";
import { describeCall } from "../../../src/permissions/ask/describe-call.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";
import { createWorkspace } from "../../support/workspace.ts";
import { createPolicy } from "../support.ts";

const describeBash = (command: string, cwd = "/ws", workspace = "/ws") =>
  describeCall(createPolicy({ workspace }), { tool: "Bash", target: { kind: "command", command, cwd } });

describe("describeCall", () => {
  it.each([
    ["echo a\u202eb", "echo a<U+202E>b"],
    ["echo a\u200bb\u00adc", "echo a<U+200B>b<U+00AD>c"],
    ["ls\u00a0-l", "ls<U+00A0>-l"],
    ["a\rb\u001b[2Kc\u0000", "a<U+000D>b<U+001B>[2Kc<U+0000>"],
    ["a\u2028b\ufeff\u2800\u3164", "a<U+2028>b<U+FEFF><U+2800><U+3164>"],
    ["a\u{e0041}\ud800", "a<U+E0041><U+D800>"],
    ["cat <<E\nä ö\tü 漢\nE", "cat <<E\nä ö\tü 漢\nE"],
  ])("G: %j is shown as %j", (command, shown) => {
    expect(describeBash(command).command).toBe(shown);
  });

  it.each([
    ["ls -l", []],
    ["echo a > b.txt 2>> c.log", ["b.txt", "c.log"]],
    ["echo a > /dev/null 2>&1", []],
    ["cat <<E > d.txt\nx\nE", ["d.txt"]],
    ["make | tee -a x y", ["x", "y"]],
    ["touch -d yesterday a 'b c'", ["a", "b c"]],
    ["rm -rf -- -x build", ["-x", "build"]],
    ["cp a b c/d", ["c/d"]],
    ["cp -t out a", ["out"]],
    ["mv a b", ["a", "b"]],
    ["sed -i s/a/b/ x y", ["x", "y"]],
    ["sed -i -e s/a/b/ x", ["x"]],
    ["sed s/a/b/ x", []],
    ["chmod +x go.sh", ["go.sh"]],
    ["dd if=a of=b", ["b"]],
    ["curl -o page.html https://a.org", ["page.html"]],
    ["timeout 5 sh -c 'echo x > y'", ["y"]],
    ["cd sub && touch a", ["sub/a"]],
    ["touch ../up ~/home /abs", ["/up", "/home/u/home", "/abs"]],
    ["echo x > $OUT", ["$OUT"]],
    ["touch 'a\u202eb'", ["a<U+202E>b"]],
    ["touch a; rm a", ["a"]],
  ])("%j writes %j", (command, writes) => {
    expect(describeBash(command).writes).toEqual(writes);
  });

  it("what is copied into a folder is shown with its name there", () => {
    const { folder } = createWorkspace({ "out/x": "", a: "" });
    expect(describeBash("cp a out", folder, folder).writes).toEqual(["out/a"]);
    expect(describeBash("cp a out/y", folder, folder).writes).toEqual(["out/y"]);
  });

  it("a file tool writes its path, a reading one nothing", () => {
    const policy = createPolicy();
    const path = (access: "read" | "write", file: string) =>
      describeCall(policy, { tool: "Write", target: { kind: "path", access, path: file } });
    expect(path("write", "/ws/a/b")).toEqual({ writes: ["a/b"] });
    expect(path("write", "/x/b\n")).toEqual({ writes: ["/x/b<U+000A>"] });
    expect(path("read", "/ws/a")).toEqual({ writes: [] });
    expect(describeCall(policy, { tool: "WebFetch", target: { kind: "url", url: "https://a.org" } })).toEqual(
      {
        writes: [],
      },
    );
  });

  it("a command of 1 MB is described, and not looked through", () => {
    const command = `echo ${"x ".repeat(500_000)} > y`;
    const readCpu = startCpuClock();
    expect(describeBash(command).command).toHaveLength(command.length);
    expect(readCpu()).toBeLessThan(2_000);
  });
});
