import { isAbsolute, resolve } from "node:path";
import { expandWord } from "./computed-words.ts";
import { createDisk, type Disk, toRealPath, walkPath } from "./real-path.ts";

/** Finds the places that the words of one command lead to, each looked up once. */
export interface PlaceFinder {
  /** Absolute paths of a word seen from these folders: as written, links resolved, and as the kernel walks. */
  find: (word: string, folders: string[], computed?: boolean) => string[];
  /** The same for a word of a text that is not read as commands. */
  findInText: (word: string, folder: string) => string[];
  /** Where a path leads from these folders: links resolved, and as the kernel walks. */
  locate: (path: string, folders: string[]) => string[];
  /** True when there were too many places to look at them all. */
  isExhausted: () => boolean;
}

const MAX_LOOKUPS = 1000;
const MAX_PATH = 4096;
const MAX_DEPTH = 100;
const MAX_SUFFIXES = 8;
const PLAIN_NAME = /^[^./~][^/]*$/;
/** Nothing in it that a path could hide behind. */
const PLAIN_WORD = /^[^-=:,@(][^=:,]*$/;
const STREAM = /^\/dev\/(stdin|stdout|stderr|null|tty|fd\/\d+)$/;

/** Creates a finder; `home` is where `~` leads, and `real` a folder whose path is known to be real. */
export function createPlaceFinder(home: string, real?: string): PlaceFinder {
  const known = new Map<string, string[]>();
  const disk = createDisk(real);
  let lookups = 0;
  let exhausted = false;

  const lookUp = (spelling: string, folder: string): string[] => {
    const key = `${folder}\0${spelling}`;
    const found = known.get(key);
    // No system call takes a longer path.
    if (found !== undefined || STREAM.test(spelling) || spelling.length > MAX_PATH) return found ?? [];
    lookups += 1;
    exhausted ||= lookups > MAX_LOOKUPS || (/(^|\/)\.\.\//.test(spelling) && isDeep(spelling));
    if (exhausted) return [];
    const name = PLAIN_NAME.test(spelling) && disk.realPath(folder) === folder ? `${folder}/${spelling}` : "";
    // Most words are no paths: nothing of that name is in the folder, and no way leads elsewhere.
    if (name !== "" && folder !== "/" && disk.look(name) === "nothing") {
      known.set(key, [name]);
      return [name];
    }
    const path = resolveWord(spelling, folder, home);
    const places = [...new Set([path, ...locateWord(spelling, folder, home, disk)])];
    known.set(key, places);
    return places;
  };

  const expand = (spelling: string, toFolder?: (path: string) => string): string[] => {
    exhausted ||= spelling.length > MAX_PATH;
    if (exhausted) return [];
    const { words, whole } = expandWord(spelling, toFolder);
    exhausted ||= !whole;
    return words;
  };

  return {
    find: (word, folders, computed = false) =>
      folders.flatMap((folder) =>
        listSpellings(word).flatMap((spelling) => {
          const words = computed ? expand(spelling, (path) => resolveWord(path, folder, home)) : [];
          return [...new Set([spelling, ...words])].flatMap((item) => lookUp(item, folder));
        }),
      ),
    findInText: (word, folder) => {
      const computed = /[*?[{$`]/.test(word);
      return listSpellings(word).flatMap((spelling) =>
        (computed ? expand(spelling) : [spelling]).flatMap((item) => lookUp(item, folder)),
      );
    },
    locate: (path, folders) => folders.flatMap((folder) => locateWord(path, folder, home, disk)),
    isExhausted: () => exhausted,
  };
}

/** Absolute path of a word as the shell's program would open it. */
export function resolveWord(word: string, folder: string, home: string): string {
  if (word === "~" || word.startsWith("~/")) return resolve(home, `.${word.slice(1)}`);
  return isAbsolute(word) ? resolve(word) : resolve(folder, word);
}

/** Where a word leads that is a path as a whole, such as that of a redirection: by its links, and as it is walked. */
export function locateWord(word: string, folder: string, home: string, disk?: Disk): string[] {
  const path = resolveWord(word, folder, home);
  if (isDeep(path)) return [path];
  const places = [toRealPath(path, disk), isDeep(word) ? path : walkWord(word, folder, home, disk)];
  // Behind a quote a tilde is a name like any other.
  const quoted = word.startsWith("~") ? locateWord(`./${word}`, folder, home, disk) : [];
  return [...new Set([...places, ...quoted])];
}

/** Nobody has so many folders in each other, and looking at each takes time. */
function isDeep(path: string): boolean {
  return path.length > MAX_DEPTH && path.split("/").length > MAX_DEPTH;
}

function walkWord(word: string, folder: string, home: string, disk?: Disk): string {
  if (word === "~" || word.startsWith("~/")) return walkPath(`${home}${word.slice(1)}`, disk);
  return walkPath(isAbsolute(word) ? word : `${folder}/${word}`, disk);
}

/** `--file=x`, `if=x`, `HEAD:x`, `@x`, `-fx`, `-abfx`: the places where a path can hide in a word. */
function listSpellings(word: string): string[] {
  if (PLAIN_WORD.test(word)) return [word];
  const bundle = /^-[A-Za-z0-9]*/.exec(word)?.[0].length ?? 0;
  const spellings = word.startsWith("-")
    ? Array.from({ length: Math.min(bundle, 10) }, (_, index) => word.slice(index + 1))
    : [word];
  const marks = [...word.matchAll(/[=:,]/g)].slice(0, MAX_SUFFIXES);
  spellings.push(...marks.map((mark) => word.slice(mark.index + 1)));
  // A list may be longer than its suffixes are worth looking at.
  if (/[=:,]/.test(word)) spellings.push(...word.split(/[=:,]/));
  const plain = spellings.flatMap((item) => (item.startsWith("@") ? [item, item.slice(1)] : [item]));
  // `:(top)x` and `:(glob)x` are git's.
  const unmarked = plain.map((item) => item.replace(/^\([a-z,]*\)/, ""));
  const quoted = plain.flatMap((item) => (item.startsWith("~") ? [`./${item}`] : []));
  return [...new Set([...plain, ...unmarked, ...quoted])].filter((item) => item !== "");
}
