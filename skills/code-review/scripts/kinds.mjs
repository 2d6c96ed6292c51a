import { posix } from "node:path";

/** Manifests with the lock files that belong to them. */
const locks = {
  "package.json": "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb",
  "Cargo.toml": "Cargo.lock",
  "pyproject.toml": "poetry.lock uv.lock pdm.lock",
  Pipfile: "Pipfile.lock",
  Gemfile: "Gemfile.lock",
  "composer.json": "composer.lock",
  "go.mod": "go.sum",
};

export const locksOf = new Map(Object.entries(locks).map(([name, list]) => [name, list.split(" ")]));
const lockNames = new Set([...locksOf.values()].flat());

const languages = {
  javascript: "js mjs cjs jsx ts mts cts tsx vue svelte",
  python: "py pyi",
  ruby: "rb",
  php: "php",
  go: "go",
  rust: "rs",
  java: "java kt kts scala groovy",
  csharp: "cs",
  c: "c h cc cpp cxx hpp hh m mm",
  shell: "sh bash zsh",
  swift: "swift",
  sql: "sql",
  html: "html htm",
  style: "css scss less",
};
const byEnding = new Map(
  Object.entries(languages).flatMap(([language, endings]) =>
    endings.split(" ").map((one) => [one, language]),
  ),
);

const testName =
  /(^|\/)(tests?|specs?|__tests__|e2e)\/|[._-](test|spec)s?\.[^/]+$|(^|\/)test_[^/]+\.py$|_test\.(go|py|rb|exs)$|Tests?\.(java|kt|cs|php|swift)$/;
const docEnding = /\.(md|mdx|rst|adoc|txt)$|(^|\/)(docs?|LICENSE|CHANGELOG|README)[^/]*$/i;
const configEnding =
  /\.(json|jsonc|ya?ml|toml|ini|cfg|conf|properties|xml|tf|env)$|(^|\/)(\.[^/]+|Dockerfile[^/]*|Makefile)$/;
const generatedName =
  /\.min\.(js|css)$|\.(map|snap|pb\.go)$|(^|\/)(dist|vendor|node_modules|__snapshots__)\/|_pb2\.py$/;

/** The language of a file by its ending, as far as the rules tell languages apart. */
export function findLanguage(path) {
  return byEnding.get(posix.extname(path).slice(1).toLowerCase());
}

/** True for a file whose path says that it holds tests. */
export function isTest(path) {
  return testName.test(path) && findLanguage(path) !== undefined;
}

/** What part of a project a changed file is. */
export function findKind({ path, binary, mode }) {
  const name = posix.basename(path);
  if (mode === "160000") return "submodule";
  if (mode === "120000") return "link";
  if (lockNames.has(name)) return "lock";
  if (binary) return "binary";
  if (generatedName.test(path)) return "generated";
  if (locksOf.has(name)) return "manifest";
  if (isTest(path)) return "test";
  if (findLanguage(path) !== undefined) return "source";
  if (docEnding.test(path)) return "docs";
  return configEnding.test(path) ? "config" : "other";
}
