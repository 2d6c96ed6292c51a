/** Goals by which the numbers are judged. */
const GOALS = { firstTurn: 5, request: 10, superstep: 1.1 };

/** Puts the results of all processes together: the median of each number, its least and its greatest value. */
export function summarize(turns, loops) {
  return {
    turns: groupBy(turns, ({ contender, count }) => `${contender} ${count}`).map((group) => ({
      contender: group[0].contender,
      skills: group[0].count,
      request: group[0].request,
      ...spreadOf(group),
    })),
    loops: groupBy(loops, ({ contender, saver }) => `${contender} ${saver}`).map((group) => ({
      contender: group[0].contender,
      saver: group[0].saver,
      supersteps: group[0].supersteps,
      ...spreadOf(group),
    })),
  };
}

/** The summary as Markdown. */
export function renderReport(summary) {
  const { date, machine, load, versions, runs, calls } = summary;
  const stands = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `${date}, ${machine}. ${stands.join(", ")}.`,
    `Medians of ${runs} processes, least to greatest in parentheses. Load average at the start: ${load.toFixed(1)}.`,
    "",
    ...renderTurns(summary.turns),
    "",
    ...renderLoops(summary.loops, calls),
    "",
    ...judge(summary).map((line) => `- ${line}`),
    "",
  ].join("\n");
}

const TURN_ROWS = [
  ["first turn, ms", (result) => result.firstMs, toMs],
  ["of processor time", (result) => result.firstCpuMs, toMs],
  ["next turn, ms", (result) => result.nextMs, toMs],
  ["of processor time", (result) => result.nextCpuMs, toMs],
  ["turn in a new thread, ms", (result) => result.newThreadMs, toMs],
  ["of processor time", (result) => result.newThreadCpuMs, toMs],
  ["first request, characters", ({ request }) => fixed(request.total), toCount],
  ["of it messages", ({ request }) => fixed(request.messages), toCount],
  ["of it tools", ({ request }) => fixed(request.tools), toCount],
  ["resident memory, MB", (result) => result.rssBytes, toMegabytes],
  ["heap, MB", (result) => result.heapBytes, toMegabytes],
  ["loading the library, ms", (result) => result.loadMs, toMs],
];

function renderTurns(turns) {
  const counts = [...new Set(turns.map(({ skills }) => skills))];
  const find = (contender, count) =>
    turns.find((result) => result.contender === contender && result.skills === count);
  const rows = counts.flatMap((count) =>
    TURN_ROWS.map(([title, pick, show]) => {
      const [ours, theirs] = ["skillgraph", "deepagents"].map((name) => pick(find(name, count)));
      return [toCount(count), title, toSpread(ours, show), toSpread(theirs, show), toRatio(ours, theirs)];
    }),
  );
  return toTable(["skills", "measured", "skillgraph", "deepagents", "ours : theirs"], rows);
}

function renderLoops(loops, calls) {
  const rows = loops.map((result) => {
    const ours = loops.find(({ contender, saver }) => contender === "skillgraph" && saver === result.saver);
    return [
      result.saver === "memory" ? "MemorySaver" : "skillgraph's SQLite saver",
      LOOP_NAMES[result.contender],
      toCount(result.supersteps),
      toSpread(result.superstepMs, toMs),
      toSpread(result.superstepCpuMs, toMs),
      toSpread(result.callMs, toMs),
      ...["superstepMs", "superstepCpuMs", "callMs"].map((key) =>
        result === ours ? "" : toRatio(ours[key], result[key]),
      ),
    ];
  });
  const head = [
    "saver",
    `loop of ${calls} calls`,
    "supersteps",
    "ms a superstep",
    "of processor time",
    "ms a call",
  ];
  return toTable([...head, "ours : theirs", "by processor time", "by call"], rows);
}

const LOOP_NAMES = {
  skillgraph: "skillgraph",
  plain: "`createReactAgent`",
  "plain-delta": "`createReactAgent`, delta channel",
};

function judge({ turns, loops }) {
  const most = Math.max(...turns.map(({ skills }) => skills));
  const [ours, theirs] = ["skillgraph", "deepagents"].map((name) =>
    turns.find(({ contender, skills }) => contender === name && skills === most),
  );
  const [faster, lighter] = ["firstMs", "firstCpuMs"].map((key) => theirs[key].median / ours[key].median);
  const smaller = theirs.request.total / ours.request.total;
  const plain = ["memory", "sqlite"].map((saver) => {
    const [mine, floor] = ["skillgraph", "plain"].map((name) =>
      loops.find((result) => result.contender === name && result.saver === saver),
    );
    return mine.superstepMs.median / floor.superstepMs.median;
  });
  const say = (isMet) => (isMet ? "met" : "missed");
  return [
    `First turn with ${toCount(most)} skills, goal ${GOALS.firstTurn} times as fast as deepagents: ` +
      `${faster.toFixed(1)} times, ${lighter.toFixed(1)} by processor time, ${say(faster >= GOALS.firstTurn)}.`,
    `First request with ${toCount(most)} skills, goal 1/${GOALS.request} of the characters: ` +
      `1/${smaller.toFixed(1)}, ${say(smaller >= GOALS.request)}.`,
    `A superstep, goal at most ${GOALS.superstep} times that of \`createReactAgent\`: ${plain[0].toFixed(2)} ` +
      `with MemorySaver, ${plain[1].toFixed(2)} with SQLite, ${say(Math.max(...plain) <= GOALS.superstep)}.`,
  ];
}

function groupBy(results, toKey) {
  const groups = new Map();
  for (const result of results) groups.set(toKey(result), [...(groups.get(toKey(result)) ?? []), result]);
  return [...groups.values()];
}

/** The spread of every time and size. */
function spreadOf(group) {
  const keys = Object.keys(group[0]).filter((key) => /(?:Ms|Bytes)$/.test(key));
  return Object.fromEntries(
    keys.map((key) => {
      const sorted = group.map((result) => result[key]).sort((left, right) => left - right);
      return [
        key,
        { median: sorted[Math.floor(sorted.length / 2)], least: sorted[0], greatest: sorted.at(-1) },
      ];
    }),
  );
}

function fixed(value) {
  return { median: value, least: value, greatest: value };
}

function toSpread({ median, least, greatest }, show) {
  return least === greatest ? show(median) : `${show(median)} (${show(least)} – ${show(greatest)})`;
}

function toRatio(ours, theirs) {
  return (ours.median / theirs.median).toFixed(2);
}

function toMs(value) {
  return value < 10 ? value.toFixed(2) : toCount(Math.round(value));
}

function toMegabytes(value) {
  return (value / 1e6).toFixed(0);
}

function toCount(value) {
  return value.toLocaleString("en");
}

function toTable(head, rows) {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`);
}
