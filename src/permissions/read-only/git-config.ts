/** Keys that name no program and no other file, by section. A section without keys here is harmless as a whole. */
const HARMLESS = new Map<string, Set<string> | "all">(
  Object.entries({
    core: `repositoryformatversion filemode logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf
      quotepath abbrev compression bigfilethreshold untrackedcache trustctime checkstat preloadindex longpaths
      commentchar whitespace protecthfs protectntfs fscache hidedotfiles sharedrepository`,
    remote:
      "url pushurl fetch push tagopt prune prunetags skipdefaultupdate skipfetchall mirror gh-resolved pushdefault",
    submodule: "url active branch shallow",
    user: "name email useconfigonly signingkey",
    diff: `algorithm renames renamelimit colormoved colormovedws mnemonicprefix noprefix context interhunkcontext
      indentheuristic wserrorhighlight statgraphwidth autorefreshindex`,
    merge: "conflictstyle ff stat renames log",
    log: "date decorate abbrevcommit follow graphcolors excludedecoration",
    status: "short branch showuntrackedfiles relativepaths renames aheadbehind displaycommentprefix",
    commit: "gpgsign cleanup status verbose",
    tag: "gpgsign sort",
    extensions: "worktreeconfig objectformat refstorage",
    lfs: "repositoryformatversion access locksverify",
    url: "insteadof pushinsteadof",
    http: "extraheader postbuffer version sslverify",
    rerere: "enabled autoupdate",
    maintenance: "auto strategy",
    pull: "rebase ff twohead",
    push: "default followtags autosetupremote",
    rebase: "autostash autosquash",
    fetch: "prune prunetags parallel",
    gc: "auto",
    init: "defaultbranch",
    advice: "*",
    author: "*",
    branch: "*",
    color: "*",
    column: "*",
    committer: "*",
    versionsort: "*",
  }).map(([section, keys]) => [section, keys === "*" ? "all" : new Set(keys.split(/\s+/))]),
);
/** Sections whose keys with a name between, as `diff.x.command`, are others. */
const NAMED = new Set(["remote", "branch", "submodule", "url", "http", "lfs"]);
/** Harmless with these values. */
const PLAIN_VALUES = new Map([
  ["core.fsmonitor", /^(true|false|yes|no|on|off|0|1)$/i],
  ["core.bare", /^(false|no|off|0)$/i],
  ["core.pager", /^cat$/],
]);

const SECTION = /^\[([A-Za-z][A-Za-z0-9-]*)(?: +"((?:[^"\\]|\\["\\])*)")?\]$/;
const ENTRY = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/;

/** What a repository's settings may do; `worktree` when a second file of them is read. */
export type GitSettings = { kind: "plain"; worktree: boolean } | { kind: "fault"; fault: string };

/**
 * Reads a repository's settings strictly: a key that is not known to be harmless, and a line that git could read in
 * another way, is a fault.
 */
export function readGitConfig(text: string): GitSettings {
  const fault = (text: string): GitSettings => ({ kind: "fault", fault: text });
  let section = "";
  let named = false;
  let worktree = false;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const head = SECTION.exec(line);
    if (head !== null) {
      section = (head[1] ?? "").toLowerCase();
      named = head[2] !== undefined;
      continue;
    }
    const entry = ENTRY.exec(line);
    // A value can go on in the next line behind a backslash.
    if (
      entry === null ||
      section === "" ||
      line.endsWith("\\") ||
      !/^[\t\x20-\x7e\u00a0-\uffff]*$/.test(line)
    )
      return fault("has a line that is not understood");
    const key = (entry[1] ?? "").toLowerCase();
    const name = `${section}.${named ? "*." : ""}${key}`;
    if (!isHarmless(section, named, key, entry[2]?.trim())) return fault(`sets ${name}`);
    if (name === "extensions.worktreeconfig") worktree = true;
  }
  return { kind: "plain", worktree };
}

function isHarmless(section: string, named: boolean, key: string, value = "true"): boolean {
  const values = named ? undefined : PLAIN_VALUES.get(`${section}.${key}`);
  if (values !== undefined) return values.test(value);
  const keys = HARMLESS.get(section);
  if (keys === undefined || (named && keys !== "all" && !NAMED.has(section))) return false;
  return keys === "all" || keys.has(key);
}
