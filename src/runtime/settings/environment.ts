import { existsSync, readFileSync, realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { parseEnv } from "node:util";
import { findHomeFolder } from "../../tools/home.ts";

/** A set of environment variables. */
export type Environment = Record<string, string | undefined>;

/** Variables that a project's `.env` may set for us. */
const NAMES = ["OPENAI_API_KEY", "OPENAI_BASE_URL", "SKILLGRAPH_MODEL", "SKILLGRAPH_CHECKPOINT"];

/** The environment with what a trusted project's `.env` adds. The shell wins; an empty variable is not set. */
export function withDotEnv(environment: Environment, project: string, trusted: boolean): Environment {
  const file = join(project, ".env");
  const added: Environment = trusted && existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
  const known = NAMES.map((name) => [name, environment[name] || added[name] || undefined] as const);
  return { ...environment, ...Object.fromEntries(known) };
}

/** The person's home folder, and ours in it (XDG base directory specification). */
export function findHome(environment: Environment): {
  home: string;
  configFolder: string;
  cacheFolder: string;
} {
  const named = findHomeFolder(environment.HOME);
  // Rules are matched against real paths.
  const home = existsSync(named) ? realpathSync(named) : named;
  const place = (named: string | undefined, usual: string) =>
    join(named !== undefined && isAbsolute(named) ? named : join(home, usual), "skillgraph");
  return {
    home,
    configFolder: place(environment.XDG_CONFIG_HOME, ".config"),
    cacheFolder: place(environment.XDG_CACHE_HOME, ".cache"),
  };
}
