import type { Policy } from "../policy.ts";
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
const PROTECTED_BELOW_CONFIG = new Set(["git", "fish", "autostart", "systemd", "environment.d"]);

/** In `.config` and `.cache`: where trust is recorded, and what is remembered of skills. */
const OWN_FOLDER = "skillgraph";

const SECRET_FOLDERS = new Set([".aws", ".ssh", ".gnupg"]);
const SECRET_FILES = new Set([...[".npmrc", ".netrc", "_netrc", ".pypirc", ".git-credentials", ".pgpass"]]);
const SECRET_NAMES = [
  /^.+\.(pem|key|p12|pfx)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?(?!.*\.pub$).*$/,
  /^\.?([^.]+[._-])?credentials(\.(json|ya?ml|toml|ini|csv|xml|db))?$/,
];
const SECRET_PATH =
  /^\/etc\/(g?shadow-?|sudoers)$|(^|\/)(\.docker\/config\.json|\.kube\/config|\.config\/gh\/hosts\.yml)$/;
/** A copy of a secret is one: `server.key.bak`, `.netrc~`. */
const COPY_ENDING = /(\.(bak|old|orig|save|backup|copy|tmp|sw[op]|\d+)|~)+$/;
// A process's folder leads to its environment, with the keys that commands are not given, and to its memory.
const PROCESS_FOLDER = /^\/proc\/(\d+|self|thread-self)(\/|$)/;

// `.envoy.yaml` belongs to a program of that name.
const ENVIRONMENT_FILE = /^\.env(?!oy([._-]|$))/;
const ENVIRONMENT_SAMPLE = /\.(example|sample|template|dist)$/;

/** Names with a dot in front that are protected or secret, for patterns that could stand for one of them. */
export const KNOWN_DOT_NAMES = [
  ...[...PROTECTED_NAMES, ...SECRET_FOLDERS, ...SECRET_FILES].filter((name) => name.startsWith(".")),
  ...[".env", ".env.local", ".env.production", ".env.development", ".env.test", ".envrc"],
];

/**
 * Tells whether a place may be touched by a rule or a mode alone. Names count at any depth, without regard to
 * case; inside the workspace only what is below the workspace counts.
 *
 * @param path absolute, links resolved.
 * @returns for `write`: "protected" for places that steer later runs and for secrets; for `read`: "secret".
 */
export function findProtection(
  path: string,
  policy: Pick<Policy, "workspace" | "skillFolders" | "ownFolders">,
  access: "read" | "write" = "write",
): Protection | undefined {
  const shown = isInside(policy.workspace, path) ? toRelative(policy.workspace, path) : path;
  const names = shown.split(/[\\/]/).map(toComparable);
  const secret = isSecret(names) || PROCESS_FOLDER.test(path);
  if (access === "read") return secret ? "secret" : undefined;
  if (secret || names.some(isProtectedName)) return "protected";
  const folders = [...policy.skillFolders, ...(policy.ownFolders ?? [])];
  const isProtected = folders.some((folder) => isInside(folder.toLowerCase(), path.toLowerCase()));
  return isProtected ? "protected" : undefined;
}

/** Both are normal, and one is inside the other. */
function toRelative(folder: string, path: string): string {
  return path === folder ? "" : path.slice(folder.endsWith("/") ? folder.length : folder.length + 1);
}

function isProtectedName(name: string, index: number, names: string[]): boolean {
  if (PROTECTED_NAMES.has(name) || isEnvironmentFile(name)) return true;
  const next = names[index + 1] ?? "";
  if (name === ".cache" || name === ".config") {
    return next === OWN_FOLDER || (name === ".config" && PROTECTED_BELOW_CONFIG.has(next));
  }
  return false;
}

function isSecret(names: string[]): boolean {
  if (names.some((name) => SECRET_FOLDERS.has(name))) return true;
  const last = names.at(-1) ?? "";
  const original = last.replace(COPY_ENDING, "");
  if (SECRET_FILES.has(original) || SECRET_NAMES.some((pattern) => pattern.test(original))) return true;
  return SECRET_PATH.test(names.join("/")) || isEnvironmentFile(last);
}

function isEnvironmentFile(name: string): boolean {
  return ENVIRONMENT_FILE.test(name) && !ENVIRONMENT_SAMPLE.test(name);
}

/** File systems that fold case, compose letters or drop invisible ones and trailing dots find the same file. */
function toComparable(name: string): string {
  const visible = /^[\x20-\x7e]*$/.test(name) ? name : name.normalize("NFKC").replace(/\p{Cf}/gu, "");
  const plain = visible.toLowerCase();
  return plain === "." || plain === ".." ? plain : plain.replace(/[. ]+$/, "");
}
