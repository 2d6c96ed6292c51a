import { type BaseMessage, SystemMessage } from "@langchain/core/messages";
import type { SkillEnvelope } from "../skills/envelope.ts";
import { parseListing } from "../skills/listing/listing.ts";
import { findRunBlocks } from "../skills/run-blocks.ts";
import { type PastCall, readTask, type Task } from "./offline-history.ts";
import { type CatalogEntry, type Match, rankSkills } from "./offline-match.ts";
import { report, type Work } from "./offline-report.ts";
import { planStage, reportStages } from "./offline-stage.ts";
import { planSteps } from "./offline-steps.ts";
import { HOW_TO_SET_MODEL, joinWords, showMatch } from "./offline-text.ts";
import { type BoundTool, fail, hasTool, type PlannedTurn, say } from "./offline-turn.ts";

const NEAREST_SHOWN = 5;
const SEARCH = "SearchSkills";
/** Characters of a request that are searched by. */
const LONGEST_QUERY = 500;

/**
 * Decides the next turn from nothing but the messages and the tools: carries out the run blocks of the loaded
 * skill, or of the stage of it that is open, one by one, or proposes the skill whose words fit the request.
 *
 * The same messages and tools always give the same turn.
 */
export function planTurn(messages: BaseMessage[], tools: BoundTool[]): PlannedTurn {
  const task = readTask(messages);
  if (task.stage) return planStage(task.stage, task.envelope, task.calls, tools);
  if (task.ended) return say(reportStages(task.ended));
  if (task.envelope) return planSkill(task.envelope, task.calls, tools);
  if (task.otherwise) return say(explainOtherArguments(task.otherwise));
  const asked = task.calls.findLast((call) => call.name === "Skill");
  if (asked) return fail(explainNotLoaded(asked));
  return proposeSkill(task, readCatalog(messages, tools), tools);
}

function planSkill(skill: SkillEnvelope, calls: PastCall[], tools: BoundTool[]): PlannedTurn {
  const work: Work = {
    label: `the skill ${skill.name}`,
    skill: skill.name,
    text: skill.text,
    ...(skill.argumentHint === undefined ? {} : { argumentHint: skill.argumentHint }),
    ...(skill.argumentNames === undefined ? {} : { argumentNames: skill.argumentNames }),
  };
  if (findRunBlocks(skill.text).length === 0) return say(showInstructions(skill));
  const progress = planSteps(work, calls, tools);
  if (progress.kind === "turn") return progress.turn;
  return say(report(work, progress.steps, progress.steps.length));
}

function explainOtherArguments(skill: SkillEnvelope): string {
  const given = skill.arguments.trim();
  const loaded = given === "" ? "without arguments" : `for "${given}"`;
  const typed = `/${skill.name} ${skill.argumentHint ?? given}`.trim();
  return `The skill ${skill.name} is loaded ${loaded}, so I ran nothing for this request. To run it, type: ${typed}`;
}

function explainNotLoaded(call: PastCall): string {
  const name = String(call.input.name ?? "");
  const text = call.outcome.text.trim();
  const reason = text === "" ? "nothing came back" : text;
  return `The skill ${name} was not loaded, so I ran nothing. The answer was: ${reason}`;
}

function showInstructions(skill: SkillEnvelope): string {
  return [
    `The skill ${skill.name} is loaded. It declares no commands to run, and following its instructions takes a ` +
      "model. Here they are:",
    skill.text.trim(),
    HOW_TO_SET_MODEL,
  ].join("\n\n");
}

/** The skills as they were announced, by the tool that loads them or by the system prompt. */
function readCatalog(messages: BaseMessage[], tools: BoundTool[]): CatalogEntry[] {
  const skillTool = tools.find((tool) => tool.name === "Skill");
  const listed = parseListing(skillTool?.description ?? "");
  if (listed.length > 0 || !skillTool) return listed;
  return messages
    .filter((message) => SystemMessage.isInstance(message))
    .flatMap(({ text }) => parseListing(text));
}

/** Proposes what clearly fits; where the list is shortened and nothing in it does, it searches first. */
function proposeSkill(task: Task, listed: CatalogEntry[], tools: BoundTool[]): PlannedTurn {
  const search = task.calls.findLast((call) => call.name === SEARCH);
  const known = [...listed, ...parseListing(search?.outcome.text ?? "")];
  // What was found has its whole description, and stands in place of what was listed.
  const catalog = [...new Map(known.map((entry) => [entry.name, entry])).values()];
  const { chosen, ranked } = rankSkills(task.request, catalog);
  const query = [...task.request.trim()].slice(0, LONGEST_QUERY).join("");
  if (!chosen && !search && query !== "" && hasTool(tools, SEARCH)) {
    return {
      text: "No listed skill clearly fits, so I search all of them.",
      calls: [{ name: SEARCH, input: { query } }],
    };
  }
  if (!chosen) return say(explainNone(ranked));
  const where = chosen.inDescription ? "its description shares" : "its name and description share";
  const words = `the word${chosen.shared.length > 1 ? "s" : ""} ${joinWords(chosen.shared)}`;
  return {
    text: `I would use the skill ${chosen.name}: ${where} ${words} with your request.`,
    calls: [{ name: "Skill", input: { name: chosen.name, arguments: "" } }],
  };
}

function explainNone(ranked: Match[]): string {
  const limits = "I am the built-in offline model: I choose by words alone and cannot answer freely.";
  if (ranked.length === 0)
    return ["There are no skills to choose from.", limits, HOW_TO_SET_MODEL].join("\n\n");
  const near = ranked.filter((match) => match.score > 0).slice(0, NEAREST_SHOWN);
  const shown = near.length > 0 ? near : ranked.slice(0, NEAREST_SHOWN);
  const rest = ranked.length - shown.length;
  return [
    "No skill clearly fits your request by its words.",
    `${near.length > 0 ? "The nearest" : "There are"}:\n${shown.map(showMatch).join("\n")}` +
      (rest > 0 ? `\n- and ${rest} more` : ""),
    `To load one yourself, type its name with a slash: /${shown[0]?.name ?? ""}`,
    limits,
    HOW_TO_SET_MODEL,
  ].join("\n\n");
}
