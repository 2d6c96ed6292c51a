/** A file that people really write, and how it is read. */
export interface GoldenHeader {
  title: string;
  /** The whole SKILL.md, in a folder `tidy`. */
  text: string;
  /** `tidy` where it is absent. */
  name?: string;
  /** Absent when the skill is refused. */
  description?: string;
  tools?: string[];
  /** `Body.\n` where it is absent. */
  body?: string;
  /** `code line` of each diagnostic, in their order. */
  faults?: string[];
}

const file = (header: string, body = "Body.\n") => `---\n${header}\n---\n${body}`;
/** A header with a name, and a description that is to be looked at. */
const described = (value: string) => file(`name: tidy\ndescription: ${value}\nallowed-tools: Read`);
const plain = file("name: tidy\ndescription: Tidies.\nallowed-tools: Read");
const tidies = { description: "Tidies.", tools: ["Read"] };
/** Two grants and a tool, in one of the forms of a list. */
const granted = (lines: string) => file(`name: tidy\ndescription: Tidies.\nallowed-tools:${lines}`);
const grants = { description: "Tidies.", tools: ["Bash(git add *)", "Bash(git commit:*)", "Read"] };
const whole = (description: string, faults: string[]) => ({ description, tools: ["Read"], faults });
const repaired = (description: string) => whole(description, ["header-repaired 3"]);

export const GOLDEN_HEADERS: GoldenHeader[] = [
  // A1: a colon in plain text.
  {
    title: "A1: a colon and a blank",
    text: described("Use when: it is late"),
    ...repaired("Use when: it is late"),
  },
  { title: "A1: two of them", text: described("Use when: a: b"), ...repaired("Use when: a: b") },
  { title: "A1: a colon at the end", text: described("Use when:"), ...repaired("Use when:") },
  { title: "A1: a quote that does not end", text: described('"Use when: x'), ...repaired('"Use when: x') },
  { title: "A1: a single quote that does not end", text: described("'tis: x"), ...repaired("'tis: x") },
  { title: "A1: quotes in quotes", text: described('"Say "hi": x"'), ...repaired('Say "hi": x') },
  { title: "A1: a colon and a tab", text: described("Use when:\tx"), ...repaired("Use when:\tx") },
  {
    title: "A1: an apostrophe behind a backslash, which double quotes do not know",
    text: described(String.raw`"The author\'s: x"`),
    ...repaired("The author's: x"),
  },
  {
    title: "A1: a colon without a blank is no fault",
    text: described("Use at 9:30"),
    ...whole("Use at 9:30", []),
  },
  {
    title: "A1: a comment behind a value that is repaired is none of it",
    text: file("name: tidy\ndescription: Use when: x\n# of tools\nallowed-tools: Read"),
    ...repaired("Use when: x"),
  },
  {
    title: "A1: wrapped, with a colon in its second line",
    text: file("name: tidy\ndescription: Tidies.\n  Use when: x\nallowed-tools: Read"),
    ...repaired("Tidies. Use when: x"),
  },

  // A2: what cannot be read grants nothing.
  {
    title: "A2: a grant that cannot be read",
    text: file("name: tidy\ndescription: Tidies.\nallowed-tools: [Bash(git *), Read"),
    description: "Tidies.",
    faults: ["header-dropped 4"],
  },
  {
    title: "A2: a key without a colon",
    text: file("name: tidy\ndescription: Tidies.\nallowed-tools Read"),
    faults: ["header-unreadable 4"],
  },
  {
    title: "A2: a limit that cannot be read refuses the skill",
    text: file("name: tidy\ndescription: Tidies.\ndisallowed-tools: [Bash\nallowed-tools: Read"),
    faults: ["header-unreadable 4"],
  },

  // A3: files from other systems.
  { title: "A3: a byte-order mark", text: `\uFEFF${plain}`, ...tidies },
  { title: "A3: CRLF", text: plain.replaceAll("\n", "\r\n"), ...tidies },
  { title: "A3: a byte-order mark and CRLF", text: `\uFEFF${plain.replaceAll("\n", "\r\n")}`, ...tidies },
  { title: "A3: lone CR", text: plain.replaceAll("\n", "\r"), ...tidies },
  { title: "A3: a blank line before the first fence", text: `\n${plain}`, ...tidies },
  {
    title: "A3: CRLF in a text of several lines",
    text: described("|-\n  One\n  Two").replaceAll("\n", "\r\n"),
    ...whole("One\nTwo", []),
  },
  {
    title: "A3: CRLF and a repair",
    text: described("Use when: x").replaceAll("\n", "\r\n"),
    ...repaired("Use when: x"),
  },

  // A4: descriptions of several lines.
  {
    title: "A4: >-",
    text: described(">-\n  Tidies.\n  Use when late."),
    ...whole("Tidies. Use when late.", []),
  },
  {
    title: "A4: |",
    text: described("|\n  Tidies.\n  Use when: late."),
    ...whole("Tidies.\nUse when: late.", []),
  },
  {
    title: "A4: > with a number and a comment",
    text: described(">2- # note\n  Tidies.\n  All."),
    ...whole("Tidies. All.", []),
  },
  {
    title: "A4: wrapped by Prettier",
    text: described("Tidies.\n  Use when late."),
    ...whole("Tidies. Use when late.", []),
  },
  {
    title: "A4: wrapped behind the colon",
    text: described("\n  Tidies.\n  Use when late."),
    ...whole("Tidies. Use when late.", []),
  },
  {
    title: "A4: wrapped in quotes",
    text: described('"Tidies.\n  Use when: late."'),
    ...whole("Tidies. Use when: late.", []),
  },
  {
    title: "A4: wrapped, not indented",
    text: described("Tidies\nand sorts"),
    ...whole("Tidies and sorts", ["header-indent 4"]),
  },
  {
    title: "A4: a block indented by tabs",
    text: described("|-\n\tOne\n\tTwo"),
    ...whole("One\nTwo", ["header-tab 4"]),
  },
  { title: "A4: a block with a heading", text: described("|-\n  # One\n  Two"), ...whole("# One\nTwo", []) },

  // A6: fences.
  { title: "A6: dashes in quotes", text: described('"left---right"'), ...whole("left---right", []) },
  { title: "A6: dashes at the end of a value", text: described("left---"), ...whole("left---", []) },
  {
    title: "A6: an indented line of dashes",
    text: described("|-\n  One\n  ---\n  Two"),
    ...whole("One\n---\nTwo", []),
  },
  {
    title: "A6: rules in the body",
    text: `${plain}\n---\n\nMore.\n`,
    ...tidies,
    body: "Body.\n\n---\n\nMore.\n",
  },
  {
    title: "A6: the file ends at the second fence",
    text: file("name: tidy\ndescription: Tidies.\nallowed-tools: Read", "").trimEnd(),
    ...tidies,
    body: "",
  },
  { title: "A6: fences with trailing blanks", text: plain.replaceAll("---\n", "--- \t\n"), ...tidies },
  {
    title: "A6: a header of 6,000 characters",
    text: described(`Tidies${" x".repeat(2_997)}`),
    ...whole(`Tidies${" x".repeat(2_997)}`, ["description-long 3"]),
  },
  {
    title: "A6: no second fence",
    text: "---\nname: tidy\ndescription: Tidies.\n",
    body: "---\nname: tidy\ndescription: Tidies.\n",
    faults: ["header-unclosed 1"],
  },

  // A7: lists of tools.
  { title: "A7: parted by blanks", text: granted(" Bash(git add *) Bash(git commit:*) Read"), ...grants },
  { title: "A7: parted by commas", text: granted(" Bash(git add *), Bash(git commit:*), Read"), ...grants },
  {
    title: "A7: a comma at the end",
    text: granted(" Bash(git add *), Bash(git commit:*), Read,"),
    ...grants,
  },
  {
    title: "A7: a list",
    text: granted("\n  - Bash(git add *)\n  - Bash(git commit:*)\n  - Read"),
    ...grants,
  },
  {
    title: "A7: a list that is not indented",
    text: granted("\n- Bash(git add *)\n- Bash(git commit:*)\n- Read"),
    ...grants,
  },
  {
    title: "A7: a list with comments",
    text: granted("\n  # of git\n  - Bash(git add *) # adds\n  - Bash(git commit:*)\n\n  - Read # all"),
    ...grants,
  },
  {
    title: "A7: a list with signs of YAML",
    text: granted("\n  - Bash(git add *)\n  - Bash(git commit:*)\n  - @home\n  - Read"),
    ...grants,
    tools: ["Bash(git add *)", "Bash(git commit:*)", "@home", "Read"],
    faults: ["header-repaired 4"],
  },
  { title: "A7: brackets", text: granted(" [Bash(git add *), Bash(git commit:*), Read]"), ...grants },
  { title: "A7: quotes", text: granted(' "Bash(git add *) Bash(git commit:*) Read"'), ...grants },
  {
    title: "A7: each in quotes",
    text: granted(' "Bash(git add *)", "Bash(git commit:*)", "Read"'),
    ...grants,
    faults: ["header-repaired 4"],
  },
  {
    title: "A7: each in backticks",
    text: granted(" `Bash(git add *)`, `Bash(git commit:*)`, `Read`"),
    ...grants,
    faults: ["header-repaired 4"],
  },
  {
    title: "A7: a comma in parentheses",
    text: granted(" [Bash(a, b), Read]"),
    description: "Tidies.",
    tools: ["Bash(a, b)", "Read"],
  },
  {
    title: "A7: an entry that is not closed",
    text: granted(" Read, Bash(git"),
    description: "Tidies.",
    tools: ["Read"],
    faults: ["tools-unbalanced 4"],
  },

  // A8: a language.
  {
    title: "A8: ---js",
    text: `---js\n{ name: "tidy" }\n---\nBody.\n`,
    body: `---js\n{ name: "tidy" }\n---\nBody.\n`,
    faults: ["header-language 1"],
  },

  // Headers that real parsers got wrong.
  { title: "a backtick at the beginning", text: described("`git` first"), ...repaired("`git` first") },
  { title: "an at sign at the beginning", text: described("@home first"), ...repaired("@home first") },
  { title: "an asterisk at the beginning", text: described("*All* first"), ...repaired("*All* first") },
  {
    title: "an exclamation mark at the beginning",
    text: described("!Tidy first"),
    ...whole("!Tidy first", ["header-text 3"]),
  },
  { title: "a bracket at the beginning", text: described("[Beta] Tidies"), ...repaired("[Beta] Tidies") },
  { title: "all in brackets", text: described("[Beta]"), ...whole("[Beta]", ["header-text 3"]) },
  {
    title: "a tab as indentation",
    text: file("name: tidy\ndescription: Tidies.\nallowed-tools: Read\nmetadata:\n\tauthor: me"),
    ...tidies,
    faults: ["header-tab 6"],
  },
  {
    title: "tabs before every key",
    text: file("\tname: tidy\n\tdescription: Tidies.\n\tallowed-tools: Read"),
    ...tidies,
    faults: ["header-tab 2"],
  },
  {
    title: "a tab behind the colon",
    text: file("name:\ttidy\ndescription:\tTidies.\nallowed-tools:\tRead"),
    ...tidies,
  },
  {
    title: "the same key twice",
    text: file("name: tidy\ndescription: Tidies.\nallowed-tools: Read\ndescription: Sorts: all\n  of it"),
    ...tidies,
    faults: ["header-repaired 5", "header-duplicate-key 5"],
  },
  {
    title: "the same key twice below metadata",
    text: file("name: tidy\ndescription: Tidies.\nallowed-tools: Read\nmetadata:\n  a: one\n  a: two"),
    ...tidies,
    faults: ["header-duplicate-key 7"],
  },
  {
    title: "an argument hint in brackets",
    text: file(
      "name: tidy\ndescription: Tidies.\nargument-hint: [pr-number] [priority]\nallowed-tools: Read",
    ),
    ...tidies,
    faults: ["header-repaired 4"],
  },
  { title: "a number", text: described("123"), ...whole("123", []) },
  {
    title: "a number sign behind a blank",
    text: described("tickets in C # and F # lists"),
    ...whole("tickets in C # and F # lists", ["header-comment 3"]),
  },
  {
    title: "no name",
    text: file("description: Tidies.\nallowed-tools: Read"),
    ...tidies,
    faults: ["name-missing 1"],
  },
  {
    title: "an empty name",
    text: file("name:\ndescription: Tidies.\nallowed-tools: Read"),
    ...tidies,
    faults: ["name-missing 2"],
  },
  {
    title: "a name that is null",
    text: file("name: null\ndescription: Tidies.\nallowed-tools: Read"),
    ...tidies,
    faults: ["name-missing 2"],
  },
  {
    title: "when_to_use and no description",
    text: file("name: tidy\nwhen_to_use: When late.\nallowed-tools: Read"),
    ...whole("When late.", []),
  },
  {
    title: "both",
    text: file("name: tidy\ndescription: Tidies.\nwhen_to_use: When late.\nallowed-tools: Read"),
    ...whole("Tidies. - When late.", []),
  },
  {
    title: "when_to_use as a list",
    text: file("name: tidy\nwhen_to_use:\n  - When late.\n  - 'When: early'\nallowed-tools: Read"),
    ...whole("When late.; When: early", ["header-text 3"]),
  },
  { title: "neither", text: file("name: tidy\nallowed-tools: Read"), faults: ["description-missing 1"] },

  // Their neighbours.
  {
    title: "another name than the folder's",
    text: file("name: sort\ndescription: Tidies.\nallowed-tools: Read"),
    ...tidies,
    name: "sort",
    faults: ["name-folder 2"],
  },
  {
    title: "the name in another spelling",
    text: file("name: Tidy\ndescription: Tidies.\nallowed-tools: Read"),
    ...tidies,
    name: "Tidy",
    faults: ["name-folder 2", "name-form 2"],
  },
  {
    title: "a blank behind a key",
    text: file("name : tidy\ndescription : Tidies.\nallowed-tools : Read"),
    ...tidies,
  },
  {
    title: "a blank behind a value",
    text: file("name: tidy  \ndescription: Tidies. \t\nallowed-tools: Read "),
    ...tidies,
  },
  {
    title: "a key in quotes",
    text: file('"name": tidy\n"description": Tidies.\n\'allowed-tools\': Read'),
    ...tidies,
  },
  {
    title: "a header as JSON",
    text: file('{"name": "tidy", "description": "Tidies.", "allowed-tools": "Read"}'),
    ...tidies,
  },
  {
    title: "emoji and signs of other scripts",
    text: described("🧹 räumt auf: 整理"),
    ...repaired("🧹 räumt auf: 整理"),
  },
  { title: "a no-break space", text: described("Tidies\u00a0up: all"), ...repaired("Tidies\u00a0up: all") },
  {
    title: "a no-break space behind the colon",
    text: file("name: tidy\ndescription:\u00a0Tidies.\nallowed-tools: Read"),
    faults: ["header-unreadable 3"],
  },
  {
    title: "a key that is indented like a part of another",
    text: file("name: tidy\n  description: Tidies.\nallowed-tools: Read"),
    ...tidies,
    faults: ["header-indent 3"],
  },
  {
    title: "a limit that is indented by mistake",
    text: file("name: sort\n  disallowed-tools: Bash\ndescription: Tidies.\nallowed-tools: Read"),
    ...tidies,
    name: "sort",
    faults: ["header-indent 3", "name-folder 2"],
  },
  {
    title: "a control character that is written out",
    text: described('"Tidies\\e[31m."'),
    ...whole("Tidies[31m.", ["text-control 3"]),
  },
  {
    title: "a misspelled key",
    text: file("name: tidy\ndescription: Tidies.\nallowed-tools: Read\nDisallowedTools: Bash"),
    ...tidies,
    faults: ["key-spelling 5"],
  },
  {
    title: "all keys indented, and a colon",
    text: file("  name: tidy\n  description: Use when: x\n  allowed-tools: Read"),
    ...repaired("Use when: x"),
  },
  {
    title: "a colon below metadata",
    text: file("name: tidy\ndescription: Tidies.\nallowed-tools: Read\nmetadata:\n  note: a: b\n  at: @me"),
    ...tidies,
    faults: ["header-repaired 5"],
  },
];
