/** Strings that look like a key by their form alone; the first group is kept when the rest is masked. */
const forms = [
  ["private key", /(-----BEGIN )(?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/g],
  ["AWS access key", /\b((?:AKIA|ASIA))[0-9A-Z]{16}\b/g],
  ["GitHub token", /\b(gh[pousr]_|github_pat_)[A-Za-z0-9_]{22,}/g],
  ["GitLab token", /\b(glpat-)[\w-]{20,}/g],
  ["Slack token", /\b(xox[abeoprs]-)[A-Za-z0-9-]{10,}/g],
  ["Stripe key", /\b([rs]k_live_)[A-Za-z0-9]{16,}/g],
  ["API key", /\b(sk-)(?:[a-z]+-)*[A-Za-z0-9_]{20,}/g],
  ["Google API key", /\b(AIza)[\w-]{35}/g],
  ["npm token", /\b(npm_)[A-Za-z0-9]{36}\b/g],
  ["JSON web token", /\b(eyJ)[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{5,}/g],
  ["password in a URL", /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'`]{1,60}:)[^\s:/@"'`]{3,100}(?=@[\w.-])/gi],
];
const secretWord =
  "(?:passw(?:or)?d|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|credentials?)";
const assigned = new RegExp(
  `(${secretWord}["'\`]?\\]?\\s*(?::|=>?|:=)\\s*)(["'\`])([^"'\`\\s]{8,200})\\2`,
  "gi",
);
const bareAssigned = new RegExp(
  `^(\\s*(?:export\\s+)?\\w*${secretWord}\\w*\\s*[=:]\\s*)([^\\s"'\`#$<{][^\\s#]{7,200})`,
  "i",
);
const placeholder =
  /example|changeme|change[_-]me|placeholder|dummy|sample|redacted|your[_-]|my[_-]|<[^>]*>|\$\{|\{\{|%\(|^(.)\1*$|x{4,}|\*{3,}|^(test|fake|secret|password|undefined|null)/i;
const bareFile = /(^|\/)\.env[^/]*$|\.(env|properties|ini|ya?ml|toml|conf|cfg|tfvars)$/i;

/** Names of files that hold secrets as a rule. */
const secretName =
  /(^|\/)(\.env(\.(?!example|sample|template|dist)[^/]+)?|id_(rsa|dsa|ecdsa|ed25519)|\.netrc|\.pgpass|credentials\.json)$|\.(p12|pfx|jks|keystore|kdbx)$/i;

/** True for a file that is there to hold secrets. */
export function isSecretFile(path) {
  return secretName.test(path);
}

/** What of a line looks like a secret: its kind, and whether its form alone says so. */
export function findSecrets(text, path) {
  const found = forms
    .filter(([, pattern]) => [...text.matchAll(pattern)].some(([match]) => !/example/i.test(match)))
    .map(([kind]) => ({ kind, certain: true }));
  if (found.length > 0) return found;
  const values = [...text.matchAll(assigned)].map((match) => match[3]);
  const bare = bareFile.test(path) ? bareAssigned.exec(text)?.[2] : undefined;
  if (bare !== undefined) values.push(bare);
  return values.some((value) => !placeholder.test(value))
    ? [{ kind: "value that is named like a secret", certain: false }]
    : [];
}

/** The line with everything that looks like a secret made unreadable. */
export function maskSecrets(text, path = "") {
  let masked = text;
  for (const [, pattern] of forms) masked = masked.replace(pattern, "$1********");
  // The body of a key in its own lines.
  masked = masked.replace(/^(\s*)[A-Za-z0-9+/]{60,}={0,2}\s*$/, "$1********");
  masked = masked.replace(assigned, "$1$2********$2");
  if (isSecretFile(path))
    return masked.replace(/^([^=:]*[=:]\s*).+$|^.{12,}$/, (_all, name = "") => `${name}********`);
  return bareFile.test(path) ? masked.replace(bareAssigned, "$1********") : masked;
}
