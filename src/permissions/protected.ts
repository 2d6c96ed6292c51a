import { relative } from "node:path";
import type { Policy } from "./policy.ts";
import { isInside } from "./real-path.ts";

/** Why a place is special: writing there always asks, or reading there does. */
export type Protection = "protected" | "secret";

/** Folders and files that decide what runs later, or what may run. */
const PROTECTED_NAMES = new Set([
  ...[".git", ".skillgraph", "skillgraph.json", ".mcp.json", ".claude", ".agents", ".cursor", ".gitconfig"],
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"],
  ...[".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login"],
  ...["config.fish", ".xprofile", ".xinitrc", ".xsession", ".pam_environment"],
]);
const PROTECTED_BELOW_CONFIG = new Set(["skillgraph", "git", "fish", "autostart", "systemd"]);

const SECRET_FOLDERS = new Set([".aws", ".ssh", ".gnupg"]);
const SECRET_FILES = new Set([
  ...[".npmrc", ".netrc", "_netrc", ".pypirc", ".git-credentials", ".pgpass", "credentials"],
]);
const SECRET_NAME = /^(.+\.(pem|key|p12|pfx)|id_(rsa|dsa|ecdsa|ed25519)(_sk)?(?!.*\.pub$).*)$/;
const SECRET_PATH = /(^|\/)(\.docker\/config\.json|\.kube\/config|\.config\/gh\/hosts\.yml)$/;
// The environment of another process of the same person can hold the keys that commands are not given.
const PROCESS_ENVIRONMENT = /^\/proc\/[^/]+\/environ$/;

const ENVIRONMENT_FILE = /^\.env([^a-z0-9].*|rc)?$/;
const ENVIRONMENT_SAMPLE = /\.(example|sample|template)$/;

/**
 * Tells whether a place may be touched by a rule or a mode alone. Names count at any depth, without regard to
 * case; inside the workspace only what is below the workspace counts.
 *
 * @param path absolute, links resolved.
 * @returns for `write`: "protected" for places that steer later runs and for secrets; for `read`: "secret".
 */
export function findProtection(
  path: string,
  policy: Pick<Policy, "workspace" | "skillFolders">,
  access: "read" | "write" = "write",
): Protection | undefined {
  const shown = isInside(policy.workspace, path) ? relative(policy.workspace, path) : path;
  const names = shown.split(/[\\/]/).map(toComparable);
  const secret = isSecret(names) || PROCESS_ENVIRONMENT.test(path);
  if (access === "read") return secret ? "secret" : undefined;
  if (secret || names.some(isProtectedName)) return "protected";
  const inSkill = policy.skillFolders.some((folder) => isInside(folder.toLowerCase(), path.toLowerCase()));
  return inSkill ? "protected" : undefined;
}

function isProtectedName(name: string, index: number, names: string[]): boolean {
  if (PROTECTED_NAMES.has(name) || ENVIRONMENT_FILE.test(name)) return true;
  return name === ".config" && PROTECTED_BELOW_CONFIG.has(names[index + 1] ?? "");
}

function isSecret(names: string[]): boolean {
  if (names.some((name) => SECRET_FOLDERS.has(name))) return true;
  const last = names.at(-1) ?? "";
  if (SECRET_FILES.has(last) || SECRET_NAME.test(last) || SECRET_PATH.test(names.join("/"))) return true;
  return ENVIRONMENT_FILE.test(last) && !ENVIRONMENT_SAMPLE.test(last);
}

/** File systems that fold case, compose letters or drop invisible ones and trailing dots find the same file. */
function toComparable(name: string): string {
  const plain = name
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .toLowerCase();
  return plain === "." || plain === ".." ? plain : plain.replace(/[. ]+$/, "");
}
