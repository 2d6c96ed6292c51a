// Ends a process at every place of a wizard, on each store and with each delay, and sums up. Run by scripts/chaos.mjs.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createRandom, type Point, playUndisturbed, shuffle, type Tried, tryPoint } from "./kill.ts";

export { startPostgres } from "../support/postgres.ts";

/** What is tried. */
export interface MatrixOptions {
  /** URLs of stores; an empty one is a SQLite file of its own for each point. */
  stores: string[];
  delays: number[];
  /** At most so many points; all of them by default. */
  limit?: number;
  seed: number;
  jobs?: number;
  /** Only places whose name contains this. */
  only?: string;
}

/** Tries all points and prints what differs. Returns true when nothing does. */
export async function tryAll(options: MatrixOptions): Promise<boolean> {
  const { outcome, places } = await playUndisturbed();
  const points = shuffle(
    options.stores.flatMap((store) =>
      options.delays.flatMap((delayMs) =>
        places
          .filter((place) => place.includes(options.only ?? ""))
          .map((place): Point => ({ place, delayMs, checkpoint: store === "" ? undefined : store })),
      ),
    ),
    createRandom(options.seed),
  ).slice(0, options.limit);
  const script = join(import.meta.dirname, "child.mjs");
  const tried: Tried[] = [];
  const waiting = [...points];
  const work = async () => {
    for (let point = waiting.pop(); point !== undefined; point = waiting.pop()) {
      const result = await tryPoint(point, script, outcome);
      tried.push(result);
      report(result, tried.length, points.length);
    }
  };
  await Promise.all(Array.from({ length: options.jobs ?? 2 * availableParallelism() }, work));
  return summarise(tried, places.length, options);
}

function report(tried: Tried, done: number, total: number): void {
  const { place, delayMs, checkpoint, differences, repeated } = tried;
  if (process.stderr.isTTY || done % 25 === 0 || done === total) process.stderr.write(`\r${done}/${total} `);
  if (differences.length + repeated.length === 0) return;
  const where = `${place}, ${delayMs} ms, ${checkpoint === undefined ? "sqlite" : "postgres"}`;
  process.stderr.write(
    `\n${where}\n${[...differences, ...repeated.map((each) => `again: ${each}`)].join("\n")}\n`,
  );
}

function summarise(tried: Tried[], places: number, { stores, delays, seed }: MatrixOptions): boolean {
  const count = (list: (each: Tried) => number) => tried.reduce((sum, each) => sum + list(each), 0);
  const differing = tried.filter(({ differences }) => differences.length > 0).length;
  const repeated = count((each) => each.repeated.length);
  const missed = tried.filter(({ reached }) => !reached).length;
  process.stdout.write(
    [
      "",
      `places ${places} · stores ${stores.map((store) => (store === "" ? "sqlite" : "postgres")).join(", ")} · delays ${delays.join(", ")} ms · seed ${seed}`,
      `points tried ${tried.length} · killed ${tried.length - missed} · ended before the point ${missed}`,
      `differences ${differing} · repeated effects ${repeated}`,
      "",
    ].join("\n"),
  );
  return tried.length > 0 && differing === 0 && repeated === 0;
}
