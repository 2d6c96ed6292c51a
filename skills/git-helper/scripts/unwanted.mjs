import { posix } from "node:path";

/** Folders that tools make again, and what would be written into .gitignore for them. */
const folders = new Set(
  `node_modules bower_components dist build out coverage .nyc_output .next .nuxt .turbo .cache .parcel-cache
  __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .venv venv .gradle target .terraform .idea .DS_Store`.split(
    /\s+/,
  ),
);
/** Of these only what nobody would write by hand is unwanted when git knows it already. */
const surelyMade =
  /^(node_modules|__pycache__|\.venv|venv|\.next|\.nyc_output|\.terraform|\.pytest_cache|\.DS_Store)$/;
const secretName =
  /^(\.env(\.(?!example$|sample$|template$|dist$).+)?|id_(rsa|dsa|ecdsa|ed25519)|.+\.(pem|p12|pfx|keystore))$/;
const byEnding = /\.(log|pyc|pyo|swp|tmp|class)$|~$/;

/** The pattern that would keep a path out of git, and why; undefined for a path that belongs in. */
export function findUnwanted(path) {
  const parts = path.replace(/\/$/, "").split("/");
  const folder = parts.find((part) => folders.has(part));
  if (folder !== undefined) {
    const isFolder = path.endsWith("/") || folder !== parts.at(-1);
    return { pattern: isFolder ? `${folder}/` : folder, why: "made by a tool" };
  }
  const name = posix.basename(path);
  if (secretName.test(name)) return { pattern: name, why: "may hold secrets" };
  const ending = byEnding.exec(name)?.[0];
  return ending === undefined ? undefined : { pattern: `*${ending}`, why: "left over from a program" };
}

/** True for a tracked path that hardly anybody means to keep in git. */
export function isTrackedByMistake(path) {
  const parts = path.split("/");
  return parts.some((part) => surelyMade.test(part)) || secretName.test(parts.at(-1));
}
