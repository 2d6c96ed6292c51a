import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder to work in and a home folder, both empty but for what a test put there. */
export interface Workspace {
  folder: string;
  home: string;
  /** No keys, no settings of this machine. */
  environment: Record<string, string | undefined>;
  write: (path: string, text: string) => void;
  read: (path: string) => string;
  exists: (path: string) => boolean;
  /** True once something stands in the file: a shell makes it before it writes. */
  isWritten: (path: string) => boolean;
}

/** A new workspace, removed when the test ends. Keys are paths, values are texts. */
export function createWorkspace(files: Record<string, string> = {}): Workspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillgraph-test-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "work");
  const home = join(root, "home");
  mkdirSync(folder);
  mkdirSync(home);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return {
    folder,
    home,
    environment: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8" },
    write,
    read: (path) => readFileSync(join(folder, path), "utf8"),
    exists: (path) => existsSync(join(folder, path)),
    isWritten: (path) => (statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0) > 0,
  };
}

/** A SKILL.md with a header of the given lines. */
export function skillText(header: Record<string, string>, body: string): string {
  const lines = Object.entries(header).map(([key, value]) => `${key}: ${value}`);
  return `---\n${lines.join("\n")}\n---\n${body}\n`;
}
