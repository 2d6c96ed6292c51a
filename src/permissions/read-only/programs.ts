import { checkDate, checkFind, checkJq, checkPrintf, checkTest } from "./program-checks.ts";
import { FD, GREP, type ReadingProgram, RIPGREP } from "./searchers.ts";

const CHECKSUM: ReadingProgram = { short: "bt", long: "binary text tag zero", operands: "files" };
const TEST: ReadingProgram = { operands: "paths", check: checkTest };

/** By their bare names: `/tmp/ls` is another program. */
export const READING_PROGRAMS = new Map<string, ReadingProgram>([
  [
    "ls",
    {
      short: "aAlh1RrtSdFisngopcuUXvkGBCxmqNQbfDI:T:w:",
      long: `all almost-all human-readable recursive reverse directory classify? inode size numeric-uid-gid no-group
        full-time group-directories-first si color? sort: time: time-style: hide: ignore: format: indicator-style:
        quoting-style: width: zero literal escape author`,
      operands: "paths",
      deep: { what: "names", flags: ["R", "recursive"] },
    },
  ],
  [
    "cat",
    {
      short: "nbAeEstTvu",
      long: "number number-nonblank show-all show-ends squeeze-blank show-tabs show-nonprinting",
      operands: "files",
    },
  ],
  ["tac", { short: "rbs:", long: "regex before separator:", operands: "files" }],
  ["rev", { operands: "files" }],
  [
    "head",
    {
      short: "qvzn:c:",
      long: "lines: bytes: quiet silent verbose zero-terminated",
      numbers: true,
      operands: "files",
    },
  ],
  [
    "tail",
    {
      short: "qvzn:c:",
      long: "lines: bytes: quiet silent verbose zero-terminated",
      numbers: true,
      operands: "files",
    },
  ],
  ["wc", { short: "lwcmL", long: "lines words bytes chars max-line-length", operands: "files" }],
  [
    "nl",
    {
      short: "pb:d:f:h:i:l:n:s:v:w:",
      long: "body-numbering: number-format: number-separator: number-width: starting-line-number: line-increment:",
      operands: "files",
    },
  ],
  [
    "sort",
    {
      short: "nrufbdghiMVscCzmRk:t:S:",
      long: `numeric-sort reverse unique ignore-case ignore-leading-blanks dictionary-order general-numeric-sort
        human-numeric-sort month-sort version-sort random-sort stable check? zero-terminated merge key: field-separator:
        sort: buffer-size: parallel:`,
      operands: "files",
    },
  ],
  [
    "uniq",
    {
      short: "cduiDzf:s:w:",
      long: "count repeated unique ignore-case zero-terminated all-repeated? group? skip-fields: skip-chars: check-chars:",
      operands: "files",
      most: 1,
    },
  ],
  [
    "cut",
    {
      short: "snzb:c:d:f:",
      long: "bytes: characters: delimiter: fields: complement only-delimited output-delimiter: zero-terminated",
      operands: "files",
    },
  ],
  ["tr", { short: "cCdst", long: "complement delete squeeze-repeats truncate-set1", operands: "text" }],
  ["paste", { short: "szd:", long: "serial delimiters: zero-terminated", operands: "files" }],
  [
    "join",
    {
      short: "ia:e:o:t:v:1:2:j:",
      long: "ignore-case header check-order nocheck-order zero-terminated",
      operands: "files",
    },
  ],
  [
    "diff",
    {
      short: "uqswbBiyaptEZcU:C:W:I:",
      long: `unified? context? brief report-identical-files ignore-all-space ignore-space-change ignore-blank-lines
        ignore-case ignore-tab-expansion ignore-trailing-space side-by-side suppress-common-lines text show-c-function
        expand-tabs strip-trailing-cr minimal color? width: label: normal`,
      operands: "files",
    },
  ],
  [
    "cmp",
    { short: "slbn:i:", long: "silent quiet verbose print-bytes bytes: ignore-initial:", operands: "files" },
  ],
  [
    "comm",
    {
      short: "123z",
      long: "total check-order nocheck-order output-delimiter: zero-terminated",
      operands: "files",
    },
  ],
  [
    "column",
    {
      short: "txs:o:c:",
      long: "table fillrows separator: output-separator: output-width:",
      operands: "files",
    },
  ],
  ["fold", { short: "bsw:", long: "bytes spaces width:", operands: "files" }],
  ["expand", { short: "it:", long: "initial tabs:", operands: "files" }],
  ["unexpand", { short: "at:", long: "all first-only tabs:", operands: "files" }],
  [
    "strings",
    {
      refused: /^@/,
      short: "afn:t:e:",
      long: "all print-file-name bytes: radix: encoding:",
      operands: "files",
    },
  ],
  [
    "od",
    {
      short: "abcdfiloxvA:j:N:t:w?S:",
      long: "address-radix: skip-bytes: read-bytes: format: output-duplicates width? strings?",
      operands: "files",
    },
  ],
  ["hexdump", { short: "bcCdoxvn:s:e:", operands: "files" }],
  ["xxd", { short: "abeEiupc:g:l:o:s:", splits: "single", operands: "files", most: 1 }],
  ["base64", { short: "diw:", long: "decode ignore-garbage wrap:", operands: "files" }],
  ...["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"].map(
    (name): [string, ReadingProgram] => [name, CHECKSUM],
  ),
  ["cksum", { operands: "files" }],
  [
    "file",
    {
      short: "bikhLNrv0F:",
      long: "brief mime mime-type mime-encoding keep-going no-dereference dereference no-pad raw separator:",
      operands: "paths",
    },
  ],
  ["stat", { short: "fLtc:", long: "dereference file-system terse format: printf:", operands: "paths" }],
  [
    "du",
    {
      short: "hscabkmxSl0d:t:B:",
      long: "human-readable summarize total all apparent-size bytes one-file-system separate-dirs count-links null max-depth: threshold: block-size: exclude: time? si",
      operands: "paths",
      deep: { what: "names" },
    },
  ],
  [
    "df",
    {
      short: "hHTialkmPx:t:B:",
      long: "human-readable si print-type inodes all local portability total type: exclude-type: block-size: output?",
      operands: "paths",
    },
  ],
  [
    "tree",
    {
      short: "adfishpugDFrtCnNqvUcJXxL:I:P:",
      splits: "values-apart",
      long: "dirsfirst noreport gitignore prune du si inodes device noreport matchdirs ignore-case filelimit: timefmt: sort? charset:",
      operands: "paths",
      deep: { what: "names" },
    },
  ],
  ...["grep", "egrep", "fgrep"].map((name): [string, ReadingProgram] => [name, GREP]),
  ["rg", RIPGREP],
  ...["fd", "fdfind"].map((name): [string, ReadingProgram] => [name, FD]),
  ["find", { operands: "paths", check: checkFind, deep: { what: "names" } }],
  ["jq", { operands: "files", check: checkJq }],
  [
    "sed",
    {
      short: "nErsuze:",
      long: "quiet silent regexp-extended separate unbuffered null-data posix expression:",
      operands: "pattern",
      patternFlags: ["e", "expression"],
    },
  ],
  ["basename", { short: "azs:", long: "multiple zero suffix:", operands: "text" }],
  ["dirname", { short: "z", long: "zero", operands: "text" }],
  [
    "realpath",
    {
      short: "emsqzLP",
      long: "canonicalize-existing canonicalize-missing no-symlinks strip quiet zero logical physical relative-to: relative-base:",
      operands: "paths",
    },
  ],
  [
    "readlink",
    {
      short: "femnqsvz",
      long: "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
      operands: "paths",
    },
  ],
  ["pwd", { short: "LP", operands: "none" }],
  ["echo", { operands: "text", check: () => [] }],
  ["printf", { operands: "text", check: checkPrintf }],
  ["true", { operands: "text", check: () => [] }],
  ["false", { operands: "text", check: () => [] }],
  ["test", TEST],
  ["[", TEST],
  ["which", { short: "as", long: "all", operands: "text" }],
  ["type", { short: "atpPf", operands: "text" }],
  ["date", { operands: "text", check: checkDate }],
  [
    "uname",
    {
      short: "asnrvmpio",
      long: "all kernel-name nodename kernel-release kernel-version machine operating-system",
      operands: "none",
    },
  ],
  ["id", { short: "ugnGrz", long: "user group groups name real zero", operands: "text" }],
  ["whoami", { operands: "none" }],
  ["hostname", { operands: "none" }],
  ["nproc", { long: "all ignore:", operands: "none" }],
  ["seq", { short: "ws:", long: "equal-width separator:", operands: "text" }],
]);
