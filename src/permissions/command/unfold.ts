import { type ReadCommand, readCommand } from "./read-command.ts";
import { SHELLS, type SimpleCommand, toCommand, toProgramName } from "./scan.ts";
import { findUnseen, readsProgram } from "./unseen.ts";
import { isWrapper, listExecuted, listUnwrapped, MAX_UNWRAPPED, unwrapWords } from "./wrappers.ts";

/** Commands and all that they are known to run; `unseen` says why there may be more, as the end of a sentence. */
export interface Unfolded {
  commands: SimpleCommand[];
  unseen?: string;
}

/** How many words are looked at behind wrappers. */
const WORD_BUDGET = 20_000;
/** Stands for what `xargs` appends and for `{}` of `find -exec`. */
const FED = "{}";

/**
 * The commands of a text and everything that they are known to run: behind wrappers, in the text of `sh -c` and
 * `eval`, in `find -exec`, and in what `echo` sends to a shell. For deny and ask rules, which must see too much
 * rather than too little; allow rules look at the commands as they stand.
 */
export function unfoldCommands(view: ReadCommand): Unfolded {
  const found = [...view.commands];
  let unseen = view.kind === "unreadable" && !view.complete ? view.reason : undefined;
  const read = (text: string): SimpleCommand[] => {
    const inner = readCommand(text);
    if (inner.kind === "unreadable" && !inner.complete) unseen ??= inner.reason;
    return inner.commands;
  };
  if (found.some(readsProgram)) found.push(...listPrinted(found).flatMap(read));
  let budget = WORD_BUDGET;
  for (let index = 0; index < found.length; index += 1) {
    const command = found[index] ?? toCommand([]);
    unseen ??= findUnseen(command);
    const texts = listInnerTexts(command.words);
    if (texts.length > 0 && command.computed.length > 0) unseen ??= "a part of the code in it is computed";
    const inner = texts.length > 0 ? texts.flatMap(read) : listNextLayer(command);
    if (inner.length > MAX_UNWRAPPED) unseen ??= "too much is wrapped in it";
    for (const next of inner) {
      budget -= next.words.length + 1;
      if (budget >= 0) found.push(next);
    }
    if (budget < 0) return { commands: found, unseen: unseen ?? "too much is wrapped in it" };
  }
  return { commands: found, ...(unseen === undefined ? {} : { unseen }) };
}

/** What a command runs directly. Every layer is shorter than the one around it. */
function listNextLayer({ words, computed }: SimpleCommand): SimpleCommand[] {
  const name = toProgramName(words[0] ?? "");
  const executed = listExecuted(words).map((inner) =>
    toCommand(inner, [...computed, ...inner.filter((word) => word.includes(FED))]),
  );
  if (name === "xargs") return [...executed, ...listFed(words, computed)];
  const unwrapped = listUnwrapped(words);
  const bare = isWrapper(name) && unwrapped.length === 0;
  // A computed word among a wrapper's own may be several, and the last of them begin the command.
  const own = words.slice(1, words.length - (unwrapped[0]?.length ?? 0));
  const begins =
    name !== "git" && (bare || unwrapped.length > 0) && own.some((word) => computed.includes(word));
  return [
    ...executed,
    ...unwrapped.map((inner) => toCommand(inner, computed)),
    ...(begins ? [toCommand([FED], [FED])] : []),
  ];
}

/** `xargs rm` runs `rm` with words that are not known; with `-I X` they stand wherever X does. */
function listFed(words: string[], computed: string[]): SimpleCommand[] {
  const option = words.findIndex((word) =>
    /^-[a-zA-Z0-9]*[Ii]|^--(replace|rep|repl|repla|replac)/.test(word),
  );
  const attached = (words[option] ?? "").replace(/^-[a-zA-Z0-9]*?[Ii]|^--[a-z]+=?/, "");
  const mark = attached === "" ? (words[option + 1] ?? FED) : attached;
  const marks = option === -1 ? [FED] : [mark, FED];
  return listUnwrapped(words).flatMap((inner) => {
    const fed = inner.filter((word) => marks.some((item) => word.includes(item)));
    return [toCommand([...inner, FED], [...computed, ...fed, FED])];
  });
}

function listInnerTexts(words: string[]): string[] {
  const name = toProgramName(words[0] ?? "");
  const rest = words.slice(1);
  if (name === "eval") {
    const text = words.slice(words.findIndex((word) => word !== "eval")).join(" ");
    return /[^\w\s./=-]/.test(text) || rest.some((word) => /\s/.test(word)) ? [text] : [];
  }
  if (name === "watch") return [(unwrapWords(words) ?? []).join(" ")];
  if (name === "trap") return [rest.join(" ")];
  if (name === "env") return listSplitStrings(rest);
  if (!SHELLS.has(name) && !/^(su|runuser|script|flock)$/.test(name)) return [];
  const option = rest.findIndex((word) => /^-[A-Za-z]*c[A-Za-z]*$|^-+[cC]ommand$/.test(word));
  const attached = rest.flatMap((word) => /^(?:--command=|-[a-zA-Z]*?c)(.+)$/s.exec(word)?.[1] ?? []);
  const texts = option === -1 ? [] : rest.slice(option + 1).filter((word) => !word.startsWith("-"));
  return [...attached, ...texts];
}

/** `env -S text more` splits the text and goes on with the rest. */
function listSplitStrings(rest: string[]): string[] {
  const index = rest.findIndex((word) => /^-[a-z0-9]*S|^--split-string/.test(word));
  if (index === -1) return [];
  const attached = (rest[index] ?? "").replace(/^(-[a-z0-9]*S|--split-string=?)/, "");
  return [[attached, ...rest.slice(index + 1)].join(" ")];
}

function listPrinted(commands: SimpleCommand[]): string[] {
  const printers = commands.filter((command) => /^(echo|printf)$/.test(command.words[0] ?? ""));
  return printers.flatMap(({ words }) => [
    words.slice(1).join(" "),
    ...(words.length > 2 ? words.slice(1) : []),
  ]);
}
