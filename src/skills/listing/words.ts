/** A word of a text: what it is compared by, and how the person wrote it. */
export interface Word {
  stem: string;
  surface: string;
}

const STOP_WORDS = new Set(
  (
    "a about after again all also am an and any are as at be because been before being but by can cannot could " +
    "did do does doing done for from get give go had has have having he hello help her here hey hi him his how i " +
    "if in into is it its just let like look make many may me might more most must my need no not of off on once " +
    "one only or our out over own please s same shall she should so some such t take tell than thank thanks that " +
    "the their them then there these they this those through to too under until up us use used user using very " +
    "want was we were what when where which while who whom whose why will with within without would you your " +
    "skill skills whenever everything something anything thing things"
  ).split(" "),
);

/** Chinese words that carry no subject; they also mark where a word ends. */
const CHINESE_STOPS =
  /请|帮我|帮忙|帮|一下|这个|那个|这些|那些|我的|你的|我|你|他|的|了|吗|呢|吧|把|和|与|或|在|是|要|想|给|用于|使用/g;

/** Scripts that do not part words by blanks, or glue endings to them. */
const UNPARTED = "[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}]";
const RUN = new RegExp(`${UNPARTED}+|(?:(?!${UNPARTED})[\\p{L}\\p{M}\\p{N}])+`, "gu");
const UNPARTED_RUN = new RegExp(`^${UNPARTED}+$`, "u");

/**
 * Splits a text into the words it is searched by: lower case, without stop words, lightly stemmed; Chinese,
 * Japanese and Korean as pairs of neighbouring characters, since no blanks part their words.
 */
export function toWords(text: string): Word[] {
  const runs = text.normalize("NFKC").toLowerCase().match(RUN) ?? [];
  return runs.flatMap((run) => (UNPARTED_RUN.test(run) ? toPairs(run) : toWord(run)));
}

/** Names that a mark is part of, such as `c++`, `c#` and `.net`. */
const MARKED =
  /(?<![\p{L}\p{N}])\p{L}{1,2}(?:\+\+|#)(?![\p{L}\p{N}+#])|(?<![\p{L}\p{N}.])\.net(?![\p{L}\p{N}])/gu;
/** What English and French leave of a word beside an apostrophe: `don't`, `l'index`. */
const CLIPPED_ENDS = /(?<=\p{L})['’](?:s|t|d|m|re|ve|ll)(?!\p{L})/gu;
const CLIPPED_BEGINNINGS = /(?<!\p{L})\p{L}['’](?=\p{L})/gu;

/**
 * Splits a text as {@link toWords} does and keeps what tells two skills of a large catalog apart: numbers, single
 * letters and names such as `C++`. `ISO27001` is also found as `ISO 27001`.
 */
export function toSearchWords(text: string): Word[] {
  const whole = text.normalize("NFKC").toLowerCase();
  const plain = whole.replace(CLIPPED_ENDS, " ").replace(CLIPPED_BEGINNINGS, " ");
  const marked = (plain.match(MARKED) ?? []).map((name) => ({ stem: name, surface: name }));
  const runs = plain.replace(MARKED, (name) => (name === ".net" ? " net " : " ")).match(RUN) ?? [];
  return [...marked, ...runs.flatMap((run) => (UNPARTED_RUN.test(run) ? toPairs(run) : toExactWord(run)))];
}

/** Tells whether one stem is the other with an ending, as `report` and `reporting` are. */
export function isFamily(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= 5 && long.length - short.length <= 4 && long.startsWith(short);
}

/** Joins overlapping pairs again, so that a person reads `整理文件` and not `整理, 理文, 文件`. */
export function joinPairs(surfaces: string[]): string[] {
  const joined: string[] = [];
  for (const surface of surfaces) {
    const previous = joined.at(-1) ?? "";
    const goesOn =
      UNPARTED_RUN.test(previous) && UNPARTED_RUN.test(surface) && previous.at(-1) === surface[0];
    if (goesOn) joined[joined.length - 1] = previous + surface.slice(1);
    else joined.push(surface);
  }
  return joined;
}

function toPairs(run: string): Word[] {
  return run
    .replace(CHINESE_STOPS, " ")
    .split(" ")
    .flatMap((part) => {
      const characters = [...part];
      if (characters.length < 2) return characters;
      return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
    })
    .map((pair) => ({ stem: pair, surface: pair }));
}

function toWord(run: string): Word[] {
  if (STOP_WORDS.has(run) || run.length < 2 || /^\p{N}+$/u.test(run)) return [];
  return [{ stem: toStem(run), surface: run }];
}

/** As {@link toWord}, with what is short or a number as it stands. */
function toExactWord(run: string): Word[] {
  if (STOP_WORDS.has(run)) return [];
  if (run.length === 1 || /^\p{N}+$/u.test(run)) return [{ stem: run, surface: run }];
  const parts = /^(\p{L}{2,})(\p{N}{2,})$/u.exec(run)?.slice(1) ?? [];
  return [run, ...parts].map((part) => ({ stem: toStem(part), surface: part }));
}

/** Cuts the endings that English words of one family differ in; wrong stems do no harm while they agree. */
function toStem(word: string): string {
  const spelled = word.replace(/is(e|es|ed|er|ers|ing|ation)$/, "iz$1");
  const singular = spelled
    .replace(/ies$/, "y")
    .replace(/(?<=..[^s])s$/, "")
    .replace(/(?<=..)sse$/, "ss");
  const cut = singular
    .replace(/(?<=...)(?:izations?|izing|izer|ized|ize)$/, "iz")
    .replace(/(?<=...)(?:ing|ed|er|or)$/, "");
  return cut
    .replace(/(?<=..)([bdgmnprt])\1$/, "$1")
    .replace(/(?<=..)e$/, "")
    .replace(/(?<=..)y$/, "i");
}
