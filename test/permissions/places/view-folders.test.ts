import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder } from "../read-only/scratch.ts";
import { decideBash, grant, rules } from "../support.ts";

const everything = [grant("Bash", "Read(/**)", "Write(/**)")];

function createRepository(): string {
  const folder = realpathSync(createFolder({ "sub/private/x": "1", "sub/open/x": "1", "other/x": "1" }));
  mkdirSync(join(folder, ".git"));
  return folder;
}

describe("where the words of a command begin", () => {
  it.each([
    "git -C sub show HEAD:private/x",
    "git -C sub diff -- private/x",
    "git -C . -C sub log -p private",
  ])("C3: a deny rule holds for what is named from another folder: %s", (command) => {
    const workspace = createRepository();
    const deny = rules("Read(sub/private/**)", "Read(sub/private)");
    const exact = [grant(`Bash(${command})`, "Bash")];
    expect(decideBash(command, exact, { workspace, deny }, workspace).verdict).toBe("deny");
    const other = command.replace("private", "open");
    expect(decideBash(other, [grant(`Bash(${other})`)], { workspace, deny }, workspace).verdict, other).toBe(
      "allow",
    );
  });

  it("a path behind a revision begins at the top of the repository", () => {
    const workspace = createRepository();
    const deny = rules("Read(sub/private/**)");
    const decide = (path: string) =>
      decideBash(`git show HEAD:${path}`, everything, { workspace, deny }, join(workspace, "other")).verdict;
    expect(decide("sub/private/x")).toBe("deny");
    expect(decide("sub/open/x")).toBe("allow");
  });

  it.each(["git --git-dir=bare show HEAD:x", "git --git-dir bare --work-tree sub diff"])(
    "nothing is taken for kept where git's own folder is named: %s",
    (command) => {
      const workspace = createRepository();
      const exact = [grant(`Bash(${command})`)];
      const deny = rules("Read(sub/private/**)");
      const decision = decideBash(command, exact, { workspace, deny, mode: "allow" }, workspace);
      expect(decision).toMatchObject({ verdict: "ask", reason: expect.stringContaining("--git-dir") });
      expect(decideBash(command, exact, { workspace }, workspace).verdict).toBe("allow");
    },
  );

  it("with too many of them a deny rule for paths denies", () => {
    const workspace = createRepository();
    const moves = Array.from({ length: 40 }, (_, index) => `-C d${index}`).join(" ");
    const command = `git ${moves} show HEAD:x`;
    const decision = decideBash(
      command,
      everything,
      { workspace, deny: rules("Read(sub/private/**)") },
      workspace,
    );
    expect(decision.verdict).toBe("deny");
  });
});
