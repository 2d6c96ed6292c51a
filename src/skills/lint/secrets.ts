const HOME = `(?:~|\\$\\{?HOME\\}?|%USERPROFILE%|/root|/(?:home|Users)/[\\w.<>{}$-]+)`;
/** Public keys, the keys of other machines and the settings of ssh are no secrets. */
const KEY = `\\.ssh[/\\\\](?!known_hosts|authorized_keys|config\\b|[^\\s"'\`]*\\.pub\\b)[\\w.*-]+`;
const OF_HOME =
  `${KEY}|\\.aws[/\\\\]credentials|\\.gnupg\\b|\\.netrc\\b|\\.kube[/\\\\]config|\\.docker[/\\\\]config\\.json|` +
  `\\.git-credentials|\\.config[/\\\\]gcloud[/\\\\]\\S*credentials\\S*|Library[/\\\\]Keychains`;
const SECRET = `(?:${HOME}[/\\\\](?:${OF_HOME})|/etc/g?shadow\\b)`;
/** Such a file of the project. */
const OWN_SECRET =
  "(?:\\.{0,2}/)?(?:[\\w-]+/)*(?:\\.env(?:\\.(?:local|production|prod))?|id_(?:rsa|ed25519|ecdsa|dsa))(?![\\w.-])";

const START = "(?<![\\w./-])";
const READER = "(?:cat|less|more|head|tail|bat|base64|xxd|strings|grep|awk|type|Get-Content)";
/** Words of one command; so many that its file can be far behind, and few enough to be found at once. */
const WORDS = "[^\\n|;&<>]{0,200}";
/** A key that a program is told to use, as in `ssh -i`, stays where it is. */
const NOT_USED = "(?<!\\s-i\\s)(?<!--[\\w-]{0,20}(?:netrc|key|keyring|cert|config)[\\w-]{0,20}[\\s=])";

const READS = [
  `${START}${READER}\\s(?:${WORDS}\\s)?["']?${SECRET}`,
  // The last word is where a copy goes to.
  `${START}(?:cp|mv|scp|rsync)\\s(?:${WORDS}\\s)?${NOT_USED}["']?${SECRET}["']?\\s+[^\\s|;&#]`,
  `${START}(?:tar|zip|gzip|curl|wget|nc)\\s${WORDS}${NOT_USED}[\\s@=:"']${NOT_USED}${SECRET}`,
  `<\\s*["']?${SECRET}`,
  `\\b(?:open|readFile(?:Sync)?)\\(\\s*(?:[\\w.]{1,40}\\(\\s*)?["'\`]${SECRET}`,
  `\\bPath\\(["']${SECRET}["']\\)[^\\n]{0,80}\\.(?:read_|open\\()`,
  `\\bsecurity\\s+(?:find-(?:generic|internet)-password|dump-keychain)\\b`,
  `\\b${READER}\\s+(?:-\\S+\\s+)*["']?${OWN_SECRET}`,
  `\\bcurl\\b[^\\n|;]*\\s(?:--data(?:-\\w+)?|-[dFT])[\\s=]*(?:\\w+=)?["'@]{0,2}${OWN_SECRET}`,
];

/** A command or a call that reads, copies or sends what a file of secrets holds; to name such a file is none. */
export const READS_SECRET = new RegExp(READS.join("|"));

/** A sentence that has it read, copied or sent. */
export const SAYS_TO_READ_SECRET = new RegExp(
  `\\b(?:read|copy|send|upload|post|print|paste|dump|share)\\b[^.;!?\\n]{0,40}?[\\s"'\`(]${SECRET}`,
  "i",
);
