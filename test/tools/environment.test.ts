import { describe, expect, it } from "vitest";
import { reduceEnvironment } from "../../src/tools/environment.ts";

describe("reduceEnvironment", () => {
  it("passes what commands need and nothing that holds a key or starts a program", () => {
    const environment = reduceEnvironment({
      ...{
        PATH: "/usr/bin",
        HOME: "/home/x",
        LANG: "C.UTF-8",
        LC_ALL: "C",
        TZ: "UTC",
        TERM: "xterm",
        EDITOR: "vim",
      },
      ...{
        OPENAI_API_KEY: "1",
        AWS_SECRET_ACCESS_KEY: "1",
        GITHUB_TOKEN: "1",
        LC_API_KEY: "1",
        LC_PASSWORD: "1",
      },
      ...{
        BASH_ENV: "1",
        ENV: "1",
        LD_PRELOAD: "1",
        NODE_OPTIONS: "1",
        PROMPT_COMMAND: "1",
        "BASH_FUNC_ls%%": "1",
      },
      USER: undefined,
    });
    const names = Object.keys(environment).filter((name) => !name.startsWith("GIT_"));
    expect(names.sort()).toEqual(
      ["EDITOR", "HOME", "LANG", "LC_ALL", "NO_COLOR", "PAGER", "PATH", "TERM", "TZ", "VISUAL"].sort(),
    );
    expect(environment).toMatchObject({ PATH: "/usr/bin", TERM: "dumb", EDITOR: "true", PAGER: "cat" });
  });

  it("drops relative folders from PATH, and has one when there is none", () => {
    expect(reduceEnvironment({ PATH: ".:/usr/bin::node_modules/.bin:/bin" }).PATH).toBe("/usr/bin:/bin");
    expect(reduceEnvironment({ PATH: "." }).PATH).toContain("/usr/bin");
    expect(reduceEnvironment({}).PATH).toContain("/bin");
  });

  it("counts the settings it gives to git", () => {
    const environment = reduceEnvironment({});
    const count = Number(environment.GIT_CONFIG_COUNT);
    for (let index = 0; index < count; index += 1)
      expect(environment).toHaveProperty(`GIT_CONFIG_VALUE_${index}`);
    expect(environment).not.toHaveProperty(`GIT_CONFIG_KEY_${count}`);
    expect(environment).toMatchObject({ GIT_CONFIG_KEY_0: "core.fsmonitor", GIT_CONFIG_VALUE_0: "false" });
  });
});
