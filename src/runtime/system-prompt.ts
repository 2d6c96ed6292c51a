import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CatalogPlace } from "../graph/parts.ts";
import type { Settings } from "./settings.ts";

/** Characters of a project's instructions that reach the model. */
const MAX_INSTRUCTIONS = 20_000;

const OURS = `You are an agent that works with skills and tools in a workspace on a real machine.
- PLACE When one fits the request, load it before anything else and follow its instructions. A skill may lead to another.
- A loaded skill stands in a <skill> element. Paths in it are relative to its directory.
- Some calls wait for a person's approval. A refusal is final: do not try the same thing another way.
- Ask with AskUser when something is missing that only the person knows.
- Say what you did and what you could not do.`;

const PLACES: Record<CatalogPlace, string> = {
  tool: "Skills are listed in the description of the Skill tool.",
  "system-prompt": "Skills are listed at the end of these instructions.",
};

/** The system prompt: ours, then the settings' or the caller's, then what a trusted project says of itself. */
export function composeSystemPrompt(settings: Settings, option: string | undefined): string {
  const place = `The workspace is ${settings.workspace}.`;
  const added = option ?? settings.systemPrompt;
  const instructions = settings.trusted ? readInstructions(settings.project) : undefined;
  const ours = OURS.replace("PLACE", PLACES[settings.catalogPlace]);
  return [ours, place, added, instructions].filter((part) => part !== undefined && part !== "").join("\n\n");
}

function readInstructions(project: string): string | undefined {
  const name = ["AGENTS.md", "CLAUDE.md"].find((candidate) => existsSync(join(project, candidate)));
  if (!name) return undefined;
  const text = readFileSync(join(project, name), "utf8").trim();
  const cut = text.length > MAX_INSTRUCTIONS ? `${text.slice(0, MAX_INSTRUCTIONS)}\n[cut]` : text;
  return `Instructions of this project (${name}):\n\n${cut}`;
}
