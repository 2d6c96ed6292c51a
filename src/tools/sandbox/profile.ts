import { dirname } from "node:path";

/** One thing that a confined command finds at a path. Paths are absolute and without links. */
export type Mount =
  /** A folder or file of this machine; `from` when it is another one that is seen there. */
  | { kind: "read" | "write"; path: string; from?: string }
  /** A folder with nothing in it that cannot be written, so that what is missed there fails loudly. */
  | { kind: "empty"; path: string }
  | { kind: "link"; path: string; target: string }
  /** Something that is there and cannot be read, written, renamed or removed. */
  | { kind: "masked-file" | "masked-folder"; path: string };

/** How commands are confined beside what they see. */
export interface ProfileOptions {
  network: boolean;
  /** Whom commands run as, when it is not the user of this process. */
  user?: number;
  /** Whether this bubblewrap can forbid user namespaces inside. */
  closesNamespaces: boolean;
  cwd: string;
}

/** Without a network npm tries for more than a minute before it says so, and others for some seconds. */
const NO_RETRIES = ["npm_config_fetch_retries", "PIP_RETRIES", "CARGO_NET_RETRY"].flatMap((name) => [
  "--setenv",
  name,
  "0",
]);

/**
 * The arguments of bubblewrap. Everything that no mount names is absent, and whatever is not mounted for writing is
 * read-only. Of two mounts at one path the later one counts; an outer folder always comes before what is in it.
 */
export function toProfile(mounts: readonly Mount[], options: ProfileOptions): string[] {
  const { network, user, closesNamespaces, cwd } = options;
  const ordered = [...new Map(mounts.map((mount) => [mount.path, mount])).values()].sort(
    (a, b) => countParts(a.path) - countParts(b.path),
  );
  const closed = ordered.filter(({ kind }) => kind === "empty" || kind === "masked-folder");
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(network ? [] : ["--unshare-net", ...NO_RETRIES]),
    ...(closesNamespaces ? ["--disable-userns"] : []),
    ...(user === undefined ? [] : ["--uid", String(user), "--gid", String(user)]),
    ...["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--unsetenv", "TMPDIR"],
    ...["--proc", "/proc", "--dev", "/dev"],
    ...ordered.flatMap(toWords),
    ...[...closed.map(({ path }) => path), "/dev", "/"].flatMap((path) => ["--remount-ro", path]),
    ...["--chdir", cwd],
  ];
}

function toWords(mount: Mount): string[] {
  const { path } = mount;
  switch (mount.kind) {
    case "read":
      return ["--ro-bind", mount.from ?? path, path];
    case "write":
      return ["--bind", mount.from ?? path, path];
    case "link":
      return ["--symlink", mount.target, path];
    case "empty":
      return ["--perms", "0755", "--tmpfs", path];
    case "masked-folder":
      return ["--perms", "0000", "--tmpfs", path];
    case "masked-file":
      // A device cannot be opened where it is bound like a file.
      return ["--ro-bind", "/dev/null", path];
  }
}

function countParts(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}

/** The folders above a path, the outermost first, without the root. */
export function listAbove(path: string): string[] {
  const parent = dirname(path);
  return parent === path || parent === "/" ? [] : [...listAbove(parent), parent];
}
