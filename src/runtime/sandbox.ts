import { statSync } from "node:fs";
import { userInfo } from "node:os";
import type { GraphParts } from "../graph/parts.ts";
import { reduceEnvironment } from "../tools/process/environment.ts";
import { createBubblewrap } from "../tools/sandbox/bubblewrap.ts";
import { findBubblewrap } from "../tools/sandbox/find-bubblewrap.ts";
import { type Probe, probeBubblewrap } from "../tools/sandbox/probe.ts";
import type { Sandbox } from "../tools/sandbox/sandbox.ts";
import type { Settings } from "./settings.ts";

/** A sandbox that was tried and works, or why there is none. */
export type FoundSandbox = { sandbox: Sandbox; version: string } | { fault: string };

type SandboxFacts = Pick<Settings, "sandbox" | "workspace" | "home" | "stateFolder" | "environment">;

const HELP = 'A person can set "sandbox" to "auto" or "off", or use --sandbox.';

/** What was tried in this process, by the program. */
const probes = new Map<string, Promise<Probe>>();

/** What confines commands by these settings. It is looked for when the first command runs, and then kept. */
export function createSandbox(settings: SandboxFacts): GraphParts["sandbox"] {
  const { mode } = settings.sandbox;
  let found: ReturnType<GraphParts["sandbox"]> | undefined;
  const look: GraphParts["sandbox"] = async () => {
    if (mode === "off") return {};
    const result = await findSandbox(settings);
    if ("sandbox" in result) return { sandbox: result.sandbox };
    if (mode === "auto") return {};
    return { missing: `No command can run: a sandbox is required, and ${result.fault}. ${HELP}` };
  };
  return () => {
    found ??= look();
    return found;
  };
}

/** Looks for a sandbox, whatever the mode. The first look tries it out; later ones in this process do not. */
export async function findSandbox(settings: SandboxFacts): Promise<FoundSandbox> {
  const { workspace, home, stateFolder, environment, sandbox } = settings;
  if (process.platform !== "linux") return { fault: `there is none for ${process.platform}` };
  if (workspace === "/") return { fault: "the workspace is /, which leaves nothing to close" };
  const program = findBubblewrap(environment, workspace);
  if (program === undefined) return { fault: "bwrap is not on the PATH (install bubblewrap)" };
  const owner = statSync(workspace).uid;
  if (process.getuid?.() === 0 && owner !== 0) {
    return { fault: `root could not write a workspace of user ${owner} in it` };
  }
  const reduced = reduceEnvironment(environment, workspace);
  const probe = probes.get(program) ?? probeBubblewrap(program, reduced);
  probes.set(program, probe);
  const result = await probe;
  if ("fault" in result) return result;
  const { version } = result;
  const { network, writable } = sandbox;
  const accountHome = readAccountHome() ?? home;
  return {
    version,
    sandbox: createBubblewrap({ program, version, network, writable, stateFolder, accountHome }),
  };
}

/** Undefined for an account that this machine does not list, as in some containers. */
function readAccountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}
