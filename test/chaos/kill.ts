import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Outcome, play } from "./play.ts";
import { createScene, readText } from "./scene.ts";

/** One place at which a process is ended, under one kind of saver. */
export interface Point {
  place: string;
  delayMs: number;
  /** Where threads are kept; left out, a file of its own. */
  checkpoint?: string | undefined;
}

/** What became of a point. */
export interface Tried extends Point {
  /** False when the run came to its end before it came to the place. */
  reached: boolean;
  /** What differs from the undisturbed run; empty when nothing does. */
  differences: string[];
  /** Effects that happened again. */
  repeated: string[];
}

const SCRIPTED = ["b1", "b2", "check", "b3"];
const SIDES = ["before", "middle", "after"];

/** Works the wizard undisturbed; returns its outcome and every place that a process can be ended at. */
export async function playUndisturbed(): Promise<{ outcome: Outcome; places: string[] }> {
  const scene = createScene();
  try {
    const places: string[] = [];
    const outcome = await play({ scene, delayMs: 0, reach: (place) => places.push(place) });
    const scripted = SCRIPTED.flatMap((id) => SIDES.map((side) => `effect:${id}:${side}`));
    return { outcome, places: [...places, ...scripted] };
  } finally {
    scene.remove();
  }
}

/** Ends a process at a point, works on to the end in this one, and compares. */
export async function tryPoint(point: Point, script: string, expected: Outcome): Promise<Tried> {
  const scene = createScene();
  const { delayMs } = point;
  const checkpoint = point.checkpoint && toOwnSchema(point.checkpoint);
  try {
    const reached = await runChild([
      script,
      scene.folder,
      scene.home,
      point.place,
      String(delayMs),
      checkpoint ?? "",
    ]);
    const outcome = await play({ scene, checkpoint, delayMs, reach: () => undefined });
    const orphan = readText(scene.folder, "orphan").trim();
    return {
      ...point,
      reached,
      differences: [
        ...compare(expected, outcome),
        ...(orphan !== "" && isAlive(Number(orphan)) ? [`process ${orphan} was left`] : []),
      ],
      repeated: findRepeated(expected, outcome),
    };
  } catch (error) {
    return { ...point, reached: true, differences: [String(error)], repeated: [] };
  } finally {
    scene.remove();
  }
}

/** Each point begins with an empty store. */
function toOwnSchema(checkpoint: string): string {
  const url = new URL(checkpoint);
  url.searchParams.set("schema", `c${randomUUID().slice(0, 8)}`);
  return url.href;
}

/** Runs a script to its end; true when it was killed. */
function runChild(words: string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (text) => {
      said += String(text);
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (signal === "SIGKILL" || code === 0) resolve(signal === "SIGKILL");
      else reject(new Error(`The process failed: ${said.slice(0, 2_000)}`));
    });
  });
}

/** Results that a person gave are not compared: what they say is what the call would have said. */
function compare(expected: Outcome, outcome: Outcome): string[] {
  const [left, right] = [expected, outcome].map(({ state }) => withAsked(state, outcome.asked));
  const differences = isDeepStrictEqual(left, right) ? [] : [explain(left ?? "", right ?? "")];
  const missing = [...new Set(expected.effects)].filter((effect) => !outcome.effects.includes(effect));
  return [...differences, ...missing.map((effect) => `${effect} is missing`)];
}

function withAsked(state: string, asked: string[]): string {
  const kept = JSON.parse(state) as { messages: { call?: string; text: string }[] };
  for (const message of kept.messages) {
    if (asked.includes(message.call ?? "") && !message.call?.startsWith("s")) message.text = "asked";
  }
  return JSON.stringify(kept, null, 1);
}

function explain(left: string, right: string): string {
  const lines = right.split("\n");
  const at = left.split("\n").findIndex((line, index) => line !== lines[index]);
  const around = (text: string) =>
    text
      .split("\n")
      .slice(Math.max(0, at - 3), at + 4)
      .join("\n");
  return `expected\n${around(left)}\ngot\n${around(right)}`;
}

/** A check may run again once a person was asked; all else happens once. */
function findRepeated(expected: Outcome, outcome: Outcome): string[] {
  const checksAsked = outcome.asked.filter((id) => id.startsWith("s")).length;
  const times = (effects: string[], effect: string) => effects.filter((each) => each === effect).length;
  return [...new Set(outcome.effects)].filter((effect) => {
    const spare = effect.startsWith("check:") ? checksAsked : 0;
    return times(outcome.effects, effect) > times(expected.effects, effect) + spare;
  });
}

/** One that has ended and that nobody has fetched yet is not alive. */
function isAlive(pid: number): boolean {
  return /^State:\s+[^ZX\s]/m.test(readText("/proc", `${pid}/status`));
}

/** A generator of numbers from 0 to 1 that gives the same ones for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same elements in an order that follows from the numbers. */
export function shuffle<Element>(elements: readonly Element[], random: () => number): Element[] {
  return elements
    .map((element) => ({ element, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ element }) => element);
}
