/** The built-in groups by the ending of a name. */
const kinds = {
  images: "png jpg jpeg gif webp svg heic heif bmp tif tiff ico avif raw",
  documents: "pdf doc docx odt rtf txt md pages tex epub ppt pptx odp key",
  spreadsheets: "xls xlsx ods csv tsv numbers",
  archives: "zip tar gz tgz bz2 xz 7z rar zst",
  audio: "mp3 wav flac ogg m4a aac opus aiff",
  video: "mp4 mov mkv avi webm m4v wmv",
  code: "js mjs cjs ts tsx jsx py rb go rs java kt c h cc cpp hpp cs php swift sh ps1 html css scss sql ipynb",
  data: "json jsonl yaml yml xml toml parquet db sqlite log",
};

const byEnding = new Map(
  Object.entries(kinds).flatMap(([kind, endings]) => endings.split(" ").map((one) => [one, kind])),
);

/** The group of a file: the first of the person's own rules that fits, else the built-in kind. */
export function findKind(name, rules) {
  const lower = name.toLowerCase();
  for (const { folder, patterns } of rules)
    if (patterns.some((pattern) => pattern.test(lower))) return folder;
  return byEnding.get(toEnding(lower)) ?? "other";
}

/** Reads `{"folder": ["ending", "name*"]}`; throws with a line that names the fault. */
export function parseRules(text) {
  const rules = JSON.parse(text);
  if (typeof rules !== "object" || rules === null || Array.isArray(rules)) {
    throw new Error('expected an object such as {"invoices": ["invoice*", "pdf"]}');
  }
  return Object.entries(rules).map(([folder, patterns]) => {
    if (!/^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u.test(folder))
      throw new Error(`"${folder}" cannot be a folder's name`);
    if (
      !Array.isArray(patterns) ||
      !patterns.every((pattern) => typeof pattern === "string" && pattern !== "")
    ) {
      throw new Error(`"${folder}" needs a list of endings or name patterns`);
    }
    return { folder, patterns: patterns.map(toPattern) };
  });
}

/** Splits a name before its ending; `a.tar.gz` keeps both parts of it together. */
export function splitName(name) {
  const ending = /(?<=[^.])(?:\.tar)?\.[^.\s]+$/i.exec(name)?.[0] ?? "";
  return { stem: name.slice(0, name.length - ending.length), ending };
}

function toEnding(name) {
  return splitName(name).ending.split(".").at(-1) ?? "";
}

/** A plain word is an ending; `*` in a pattern stands for anything. */
function toPattern(pattern) {
  const lower = pattern.toLowerCase();
  if (/^\.?[\p{L}\p{N}]+$/u.test(lower)) return new RegExp(`\\.${lower.replace(/^\./, "")}$`, "u");
  const parts = lower.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`, "u");
}
