import type { ReviewRequest } from "../../graph/review/request.ts";
import { createDemoPlace, type DemoEvent, type DemoPlace, parseEvents } from "../demo-place.ts";
import { exitCodes } from "../exit-code.ts";
import type { DemoFlags } from "../flags.ts";
import { watchInterrupts } from "../interrupts.ts";
import { toProgramName } from "../program-name.ts";
import { renderRequest } from "../render-request.ts";
import { toJsonDocument, toSafeText } from "../safe-text.ts";
import { createScreen, type Screen } from "../screen.ts";

/** One step, told in plain words. `ok` is false when it had not the result that it must have. */
interface DemoStep {
  step: string;
  ok: boolean;
  told: string;
}

type Tell = (step: string, ok: boolean, told: string) => void;

const SKILL = "file-organizer";
const LINE = `/${SKILL} inbox`;

/**
 * `skillgraph demo`: the main job on a temporary copy of the example. A real process is killed while its
 * question is open, and another one goes on. Succeeds only when every step has the expected result.
 */
export async function runDemo(flags: DemoFlags): Promise<number> {
  const screen = createScreen();
  const interrupts = watchInterrupts();
  const place = createDemoPlace(process.argv[1] ?? "", interrupts.signal);
  const steps: DemoStep[] = [];
  const tell: Tell = (step, ok, told) => {
    steps.push({ step, ok, told });
    if (!flags.json) printStep(screen, steps.length, { step, ok, told });
    if (!ok) throw new DemoFailure();
  };
  try {
    await playSteps(place, tell, screen);
  } catch (error) {
    if (!(error instanceof DemoFailure) && !interrupts.signal.aborted) throw error;
  } finally {
    interrupts.dispose();
    if (!flags.keep) place.remove();
  }
  if (interrupts.signal.aborted) return exitCodes.interrupted;
  const isDone = steps.every(({ ok }) => ok);
  const kept = flags.keep ? { folder: place.folder } : {};
  if (flags.json) screen.out.write(toJsonDocument({ ok: isDone, steps, ...kept }));
  else screen.out.write(toClosing(isDone, flags.keep ? place.folder : undefined));
  return isDone ? exitCodes.finished : exitCodes.failed;
}

/** The step that failed is told already. */
class DemoFailure extends Error {
  override readonly name = "DemoFailure";
}

async function playSteps(place: DemoPlace, tell: Tell, screen: Screen): Promise<void> {
  const before = place.listFiles();
  tell(
    "A messy folder",
    before.length > 0,
    `A temporary copy of the example, ${place.folder}:\n${toTree(before)}`,
  );

  const { out } = await place.run(["list", "--json"]);
  const { skills } = JSON.parse(out) as { skills: { name: string }[] };
  const names = skills.map(({ name }) => name);
  tell(
    "Skills found",
    names.includes(SKILL),
    `${names.length} offered, only their headers read: ${names.join(", ")}`,
  );

  // `chat` waits for the next line, so this process is alive while its question is open.
  const first = place.start(["chat", "--model", "offline", "--json"], LINE);
  const events = await first.waitFor("run-end");
  const loaded = events.find(({ type }) => type === "skill-loaded");
  tell(
    "Skill chosen and loaded",
    loaded?.name === SKILL,
    `A person typed ${LINE}\n${describeLoaded(loaded)}`,
  );
  const plan = events.find(({ type, status }) => type === "tool-end" && status === "success");
  tell(
    "Plan made",
    plan !== undefined,
    `The skill's own rule allows this command:\n${String(plan?.output).trim()}`,
  );
  const end = events.findLast(({ type }) => type === "run-end");
  const request = end?.request as ReviewRequest | undefined;
  const isUntouched = place.listFiles().join() === before.join();
  const asked = request ? renderRequest(request, screen.out.colors).trim() : "Nothing was asked.";
  tell(
    "Asked",
    end?.status === "waiting" && isUntouched,
    `Nothing has moved. No rule allows the next command:\n${asked}`,
  );

  const killed = await first.kill();
  tell("Killed", killed.isDead, `Process group ${killed.pid} got SIGKILL while the question was open.`);

  const thread = String(end?.thread);
  const kept = await place.run(["threads", "--waiting", "--json"]);
  const { threads } = JSON.parse(kept.out) as { threads: { thread: string; request?: { id: string } }[] };
  const isKept = threads.some((row) => row.thread === thread && row.request?.id === request?.id);
  tell("Question kept", isKept, `A new process finds it: thread ${thread}, request ${request?.id}.`);

  const words = [
    "resume",
    thread,
    "--request",
    String(request?.id),
    "--approve",
    "--model",
    "offline",
    "--json",
  ];
  const resumed = await place.run(words);
  const resumedEnd = parseEvents(resumed.out).at(-1);
  const after = place.listFiles();
  const isMoved = after.length === before.length && after.every((file) => file.includes("/"));
  const isDone = resumed.code === exitCodes.finished && resumedEnd?.status === "finished" && isMoved;
  tell("Resumed and done", isDone, `${toProgramName()} ${words.slice(0, 5).join(" ")}\n${toTree(after)}`);

  const again = await place.run(words);
  const error = parseEvents(again.out).at(-1)?.error as { code: string; message: string } | undefined;
  const isRefused = again.code === exitCodes.failed && place.listFiles().join() === after.join();
  tell(
    "The same answer again",
    isRefused,
    `Refused, nothing runs twice: ${error?.message ?? "no reason given"}`,
  );
}

function describeLoaded(loaded: DemoEvent | undefined): string {
  return loaded
    ? `${String(loaded.path)}: ${String(loaded.tokens)} tokens, now in the prompt`
    : "No skill was loaded.";
}

function toTree(files: string[]): string {
  return files.map((file) => `inbox/${file}`).join("\n");
}

function printStep(screen: Screen, number: number, { step, ok, told }: DemoStep): void {
  const { colors } = screen.out;
  const mark = ok ? colors.green("✓") : colors.red("✗");
  const lines = toSafeText(told).split("\n");
  screen.out.write(
    `${mark} ${colors.bold(`${number}. ${step}`)}\n${lines.map((line) => `   ${line}\n`).join("")}\n`,
  );
}

function toClosing(isDone: boolean, folder: string | undefined): string {
  const result = isDone
    ? "Every step had the expected result."
    : "The step above had not the expected result.";
  const place = folder === undefined ? "The temporary folder is removed." : `Kept: ${folder}`;
  const next = isDone
    ? `\nTry it on a folder of yours: ${toProgramName()} run "/file-organizer ." --cwd ~/Downloads`
    : "";
  return `${result} ${place}${next}\n`;
}
