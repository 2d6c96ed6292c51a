import type { Progress } from "../graph/state.ts";
import type { RunEnd, RuntimeEvent } from "../runtime/threads/events.ts";
import { toProgramName } from "./program-name.ts";
import { renderDrift } from "./render-drift.ts";
import { renderAnswers, renderCall, renderRequest, renderResume } from "./render-request.ts";
import { toJsonLine, toSafeLine, toSafeText } from "./safe-text.ts";
import { type Colors, note, type Screen } from "./screen.ts";

const NOT_KEPT = 'Threads in "memory:" are gone with this process, so nothing can resume this one later.';

/** Ends of a stage after which no next one begins. */
const STAGE_MARKS = new Map([
  ["rejected", "↩"],
  ["reopened", "↩"],
  ["stopped", "■"],
]);

/** Shows what happens, as it happens. */
export interface Renderer {
  show: (event: RuntimeEvent) => void;
  /**
   * Says how the run ended.
   *
   * @param carried flags that a printed command repeats; undefined where threads are gone with the process
   * @param isAsked true when the question was shown already
   */
  finish: (end: RunEnd, carried: string | undefined, isAsked: boolean) => void;
}

/** One event a line, and nothing else. */
export function createJsonRenderer(screen: Screen): Renderer {
  return {
    show: (event) => screen.out.write(toJsonLine(event)),
    finish: () => undefined,
  };
}

/** The model's text and the question on `out`, progress on `err`. */
export function createTextRenderer(screen: Screen): Renderer {
  const started = new Map<string, { tool: string; at: number }>();
  let text = "";
  let shownThread: string | undefined;
  let hasSpoken = false;
  /** The stage whose beginning was told last. */
  let begun = "";
  const { colors } = screen.err;
  const endLine = () => {
    if (text !== "" && !text.endsWith("\n")) screen.out.write("\n");
    text = "";
  };
  const say = (line: string) => {
    endLine();
    note(screen, line);
  };
  return {
    show: (event) => {
      switch (event.type) {
        case "run-start":
          hasSpoken = false;
          if (event.thread === shownThread) break;
          shownThread = event.thread;
          say(colors.dim(`thread ${event.thread}`));
          say(colors.dim(`model ${toSafeLine(event.model)} (${toSafeLine(event.modelReason)})`));
          break;
        case "skill-loaded":
          say(`${colors.cyan("●")} skill ${toSafeLine(event.name)} loaded (${event.tokens} tokens)`);
          break;
        case "skill-drifted":
          say(colors.yellow(`! ${renderDrift(event)}`));
          break;
        case "skill-unloaded":
          say(`${colors.cyan("○")} skill ${toSafeLine(event.name)} unloaded by the ${event.by}`);
          break;
        case "model-start":
          endLine();
          break;
        case "text-delta":
          hasSpoken ||= event.text.trim() !== "";
          text += event.text;
          screen.out.write(toSafeText(event.text));
          break;
        case "model-end":
          endLine();
          break;
        case "tool-start":
          // What is handed over is shown at the gate, and that it was stands in the line of the stage.
          if (event.tool === "CompleteStage") break;
          started.set(event.id, { tool: event.tool, at: Date.now() });
          say(renderCall(event.tool, event.input));
          break;
        case "tool-end": {
          if (event.tool === "CompleteStage" && event.status === "success") break;
          const begun = started.get(event.id);
          const time = begun ? `${((Date.now() - begun.at) / 1000).toFixed(1)} s` : "";
          const which = started.size > 1 ? ` ${event.tool}` : "";
          started.delete(event.id);
          const failure = event.status === "error" ? ` ${toSafeLine(event.output)}` : "";
          const fault = event.tool === "Bash" && failure === "" ? readBashFault(event.output) : undefined;
          const isBad = fault !== undefined || failure !== "";
          const how = fault === undefined ? "" : time === "" ? ` ${fault}` : ` ${fault},`;
          say(`${isBad ? colors.red("✗") : colors.green("✓")}${which}${how} ${time}${failure}`.trimEnd());
          break;
        }
        case "tool-denied":
          say(`${colors.red("✗")} ${toSafeLine(event.tool)} refused: ${toReason(event.reason)}`);
          break;
        case "rules-added":
          say(
            `${colors.green("✓")} Added to your settings for this project: ${toSafeLine(event.rules.join(", "), 1000)}`,
          );
          break;
        case "stage-start":
          begun = `${event.skill}/${event.stage}`;
          say(
            toSafeLine(`▸ ${event.number}/${event.total} ${event.stage} · ${event.title}`).replace(
              "▸",
              colors.cyan("▸"),
            ),
          );
          break;
        case "stage-end": {
          const mark = STAGE_MARKS.get(event.result);
          say(
            `${mark ? colors.yellow(mark) : colors.green("✓")} stage ${toSafeLine(event.stage)} ${event.result}`,
          );
          break;
        }
        case "progress": {
          const line = renderProgress(event, begun, colors);
          begun = "";
          if (line !== undefined) say(line);
          break;
        }
        case "notice":
          say(colors.yellow(`! ${toSafeLine(event.text, 500)}`));
          break;
      }
    },
    finish: (end, carried, isAsked) => {
      endLine();
      // A streamed answer is on the screen already; one that no model gave in this run is not.
      if (end.status === "finished" && end.answer !== undefined && !hasSpoken) {
        screen.out.write(`${toSafeText(end.answer)}\n`);
      }
      showEnd(end, screen, carried, isAsked);
    },
  };
}

/** A command that ran to its end is no failed call, whatever it says of itself: that stands in its last lines. */
function readBashFault(output: string): string | undefined {
  const end =
    /(?:^|\n)(\[It ran in a sandbox .*\]\n)?\[(?:(exit code (?!0\])\d+|ended by \w+)|S(topped at the time limit of [\d,]+ ms)\..*)\]\s*$/.exec(
      output,
    );
  if (end === null) return undefined;
  const fault = end[2] ?? `s${end[3]}`;
  return end[1] === undefined ? fault : `${fault}, maybe because of the sandbox`;
}

/** The line of a wizard, where no other line has said the same. */
function renderProgress(
  progress: Progress,
  begun: string,
  { cyan, yellow, green }: Colors,
): string | undefined {
  const { status, skill, stage } = progress;
  const line = toSafeLine(progress.line);
  if (status === "waiting") return `${yellow("▸")} ${line}`;
  if (status === "finished") return `${green("✓")} ${line}`;
  // The beginning of a stage is told with its title, and that it was stopped as its end.
  return status === "stopped" || begun === `${skill}/${stage}` ? undefined : `${cyan("▸")} ${line}`;
}

/** A turn may end before its stage does, for example with a question in plain words. */
function toOpenStage(stage: string): string {
  return toSafeLine(
    `The wizard is still at its stage "${stage}". Any message goes on: ${toProgramName()} run --continue "…"`,
  );
}

function toReason(reason: string): string {
  return toSafeLine(reason.replace(/^Not allowed: /, ""), 500);
}

function showEnd(end: RunEnd, screen: Screen, carried: string | undefined, isAsked: boolean): void {
  const { colors } = screen.err;
  if (end.status === "waiting" && end.request) {
    if (!isAsked) screen.out.write(renderRequest(end.request, screen.out.colors, end.thread));
    if (carried !== undefined) screen.out.write(renderAnswers(end.thread, end.request, carried));
  }
  if (end.error) note(screen, colors.red(`skillgraph: ${toSafeLine(end.error.message, 2000)}`));
  if (end.status === "stopped")
    note(screen, colors.yellow(`Stopped: ${toSafeLine(end.stop?.reason ?? "before its end", 500)}`));
  if (end.status === "finished") {
    if (end.stage !== undefined) note(screen, toOpenStage(end.stage));
    return;
  }
  if (carried === undefined) note(screen, NOT_KEPT);
  else if (end.status !== "waiting") {
    note(screen, `The thread is kept. Go on with: ${renderResume(end.thread, carried)}`);
  }
}
