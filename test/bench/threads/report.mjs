/** Goals by which the numbers are judged. */
const GOALS = { plainBytes: 6_000_000_000, share: 100, turn: 3, skillBytes: 300_000, resume: 2 };

/** The summary as Markdown. */
export function renderReport(summary) {
  const { date, machine, load, versions } = summary;
  const stands = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `${date}, ${machine}. ${stands.join(", ")}. Load average at the start: ${load.toFixed(1)}.`,
    "",
    ...renderGrowth(summary),
    "",
    ...judge(summary).map((line) => `- ${line}`),
    "",
  ].join("\n");
}

function renderGrowth({ grown }) {
  const rows = grown.flatMap(({ name, marks }) =>
    marks.map(({ turn, ms, cpuMs, bytes }) => {
      const first = marks[0];
      const cells = [
        name,
        toCount(turn),
        toMegabytes(bytes),
        ms.toFixed(0),
        cpuMs.toFixed(0),
        (ms / first.ms).toFixed(1),
        (cpuMs / first.cpuMs).toFixed(1),
      ];
      return `| ${cells.join(" | ")} |`;
    }),
  );
  return [
    "| agent | turn | file, MB | ms a turn | of processor time | : the tenth | by processor time |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
  ];
}

function judge(summary) {
  return [...judgeSize(summary), ...judgeTurns(summary), ...judgeSkill(summary), ...judgeResume(summary)];
}

function judgeSize({ grown, turns }) {
  const ours = grown.find(({ name }) => name === "skillgraph")?.marks.at(-1);
  const plain = grown.find(({ name }) => name === "plain agent")?.marks.at(-1);
  if (!ours || !plain) return [];
  // A history that is copied at each step grows with the square of the turns.
  const theirs = plain.bytes * (turns / plain.turn) ** 2;
  const how =
    plain.turn === turns ? "measured" : `worked out from ${plain.turn} turns, as it grows with their square`;
  const share = theirs / ours.bytes;
  return [
    `The file after ${toCount(turns)} turns, goal 1/${GOALS.share} of the plain agent's: ${toMegabytes(ours.bytes)} MB of ${toMegabytes(theirs)} MB (${how}), 1/${share.toFixed(0)}, ${say(share >= GOALS.share)}.`,
  ];
}

function judgeTurns({ grown }) {
  return grown
    .filter(({ isPeer }) => !isPeer)
    .map(({ name, marks }) => {
      const [first, last] = [marks[0], marks.at(-1)];
      const ratio = last.ms / first.ms;
      return `${name}: turn ${toCount(last.turn)}, goal ${GOALS.turn} times the tenth: ${ratio.toFixed(1)} times, ${(last.cpuMs / first.cpuMs).toFixed(1)} by processor time, ${say(ratio <= GOALS.turn)}.`;
    });
}

function judgeSkill({ skill }) {
  const added = Math.max(...skill.map(({ before, after }) => after - before));
  const whole = Math.max(...skill.map(({ after }) => after));
  return [
    `50 calls while a skill of 100 KB is active, goal 300 KB: ${toKilobytes(added)} KB added, ${toKilobytes(whole)} KB with the skill, ${say(added <= GOALS.skillBytes)}.`,
  ];
}

function judgeResume({ resume, turns }) {
  if (!resume) return [];
  const [short, long, read] = [resume.shortMs, resume.longMs, resume.readMs].map(toMedian);
  const limit = GOALS.resume * short + read;
  return [
    `From the start of a new agent to its first model call, goal twice that of ${resume.short} turns (${short.toFixed(0)} ms) plus reading the messages once (${read.toFixed(0)} ms): ${long.toFixed(0)} ms with ${toCount(turns)} turns, ${say(long <= limit)}.`,
  ];
}

function say(isMet) {
  return isMet ? "met" : "missed";
}

function toMedian(numbers) {
  return [...numbers].sort((left, right) => left - right)[numbers.length >> 1];
}

function toCount(number) {
  return number.toLocaleString("en");
}

function toMegabytes(bytes) {
  return (bytes / 1_000_000).toFixed(bytes < 100_000_000 ? 1 : 0);
}

function toKilobytes(bytes) {
  return (bytes / 1_000).toFixed(0);
}
