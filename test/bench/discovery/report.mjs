/** How much faster a first and a second start are to be. */
const GOAL = 5;

const TITLES = {
  cold: "skillgraph, first start",
  warm: "skillgraph, next start",
  deepagents: "deepagents, the loader of its agents",
  listSkills: "deepagents, `listSkills`",
  "skills-ref": "skills-ref, `readProperties` and `validate`",
  floor: "open, read 4 KiB, close",
};

/** Puts the results of all processes together: the median of each number, its least and its greatest value. */
export function summarize(results) {
  const counts = [...new Set(results.map(({ count }) => count))];
  return {
    results: counts.flatMap((count) =>
      Object.keys(TITLES).map((contender) => {
        const own = results.filter((result) => result.contender === contender && result.count === count);
        const spreads = ["ms", "cpuMs", "grownBytes"].map((key) => [
          key,
          spreadOf(own.map((each) => each[key])),
        ]);
        return { contender, count, ...Object.fromEntries(spreads) };
      }),
    ),
  };
}

/** The summary as Markdown. */
export function renderReport({ date, machine, load, versions, runs, results }) {
  const stands = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const rows = results.map((result) => {
    const cold = find(results, "cold", result.count);
    return [
      format(result.count),
      TITLES[result.contender],
      toSpread(result.ms),
      toSpread(result.cpuMs),
      (result.grownBytes.median / 1e6).toFixed(1),
      result === cold ? "" : (result.ms.median / cold.ms.median).toFixed(2),
      result === cold ? "" : (result.cpuMs.median / cold.cpuMs.median).toFixed(2),
    ];
  });
  const head = [
    "skills",
    "read by",
    "ms",
    "of processor time",
    "memory grown, MB",
    "time : first start",
    "by processor time",
  ];
  return [
    `${date}, ${machine}. ${stands.join(", ")}.`,
    `Medians of ${runs} processes, least to greatest in parentheses. Load average at the start: ${load.toFixed(1)}.`,
    "",
    ...[head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`),
    "",
    ...judge(results),
    "",
  ].join("\n");
}

function judge(results) {
  const [count] = results.map((result) => result.count);
  const cold = find(results, "cold", count);
  const peers = ["deepagents", "listSkills", "skills-ref"].map((name) => {
    const peer = find(results, name, count);
    return toVerdict(`First start with ${format(count)} skills against ${TITLES[name]}`, peer, cold);
  });
  const warm = find(results, "warm", count);
  return [...peers, toVerdict(`Next start with ${format(count)} skills against the first one`, cold, warm)];
}

function toVerdict(title, slow, fast) {
  const [time, work] = ["ms", "cpuMs"].map((key) => slow[key].median / fast[key].median);
  const isMet = time >= GOAL ? "met" : "missed";
  return `- ${title}, goal ${GOAL} times as fast: ${time.toFixed(1)} times, ${work.toFixed(1)} by processor time, ${isMet}.`;
}

function find(results, contender, count) {
  return results.find((result) => result.contender === contender && result.count === count);
}

function spreadOf(values) {
  const sorted = values.toSorted((left, right) => left - right);
  return { median: sorted[Math.floor(sorted.length / 2)], least: sorted[0], greatest: sorted.at(-1) };
}

function toSpread({ median, least, greatest }) {
  return `${format(median)} (${format(least)} – ${format(greatest)})`;
}

function format(value) {
  return Math.round(value).toLocaleString("en-US");
}
