import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasStages, readWizard } from "../../../src/skills/stages/read-wizard.ts";
import { createFolder, withoutPrivileges, writeFile, writeSkill } from "../temp-folder.ts";

type Files = Record<string, string>;

function create(files: Files, metadata: Record<string, string> = {}, body = "Intro.\n") {
  const directory = createFolder();
  const path = writeSkill(directory, "x", { body });
  for (const [name, text] of Object.entries(files)) writeFile(join(directory, name), text);
  return { name: "x", path, directory, metadata };
}

function stage(header: string, body = "Do it.\n"): string {
  return `---\n${header}\n---\n${body}`;
}

function read(files: Files, options?: { asked?: boolean }, metadata?: Record<string, string>) {
  return readWizard(create(files, metadata), options);
}

function faults(result: ReturnType<typeof readWizard>): string[] {
  return result.diagnostics.map(
    ({ severity, code, line, message }) => `${severity} ${code} ${line} ${message}`,
  );
}

const schema = "output:\n  type: object\n  required: [version]\n  properties:\n    version: {type: string}";

describe("stages in files", () => {
  it("come by number and carry what their headers say", () => {
    const result = read({
      "stages/10-apply.md": stage(
        `title: Apply\ngate: none\nneeds: [plan]\ncheck: npm test\nmodel: m\nmax-attempts: 2\nallowed-tools: Bash(npm test) Read\nrestrict: true`,
      ),
      "stages/2-plan.md": stage(`title: "Plan: it"\n${schema}`, "\n\n  Plan.\n\n"),
      "stages/01-inspect.md": "# Look around\n\nLook.\n",
    });
    expect(result.diagnostics).toEqual([]);
    const plain = { gate: "approve", allowedTools: [], restrict: false, maxAttempts: 3 };
    expect(result.wizard).toEqual({
      intro: "Intro.",
      stages: [
        { id: "inspect", title: "Look around", ...plain, needs: [], text: "# Look around\n\nLook." },
        {
          id: "plan",
          title: "Plan: it",
          ...plain,
          output: { type: "object", required: ["version"], properties: { version: { type: "string" } } },
          needs: ["inspect"],
          text: "  Plan.",
        },
        {
          id: "apply",
          title: "Apply",
          gate: "none",
          allowedTools: ["Bash(npm test)", "Read"],
          restrict: true,
          needs: ["plan"],
          check: "npm test",
          model: "m",
          maxAttempts: 2,
          text: "Do it.",
        },
      ],
    });
    expect(result.digest).toMatch(/^[0-9a-f]{32}$/);
  });

  it("a file without title is called by its first heading outside of code, or by its id", () => {
    const { wizard } = read({
      "stages/1-a.md": stage("gate: none", "```sh\n# no title\n```\n# **The** `title`\n"),
      "stages/2-b.md": "Text.\n",
    });
    expect(wizard?.stages.map(({ title }) => title)).toEqual(["The title", "b"]);
  });

  it.each([
    ["01-inspect.md", "inspect"],
    ["1_Inspect.md", "Inspect"],
    ["3. Plan & do.md", "Plan-do"],
    ["001.md", "stage-1"],
    ["1.2-plan.MD", "plan"],
    ["3d-model.md", "3d-model"],
    ["01-検査.md", "検査"],
    ["01-e\u0301tape.md", "\u00e9tape"],
  ])("the id of %s is %s", (name, id) => {
    expect(read({ [`stages/${name}`]: "Text.\n" }).wizard?.stages[0]?.id).toBe(id);
  });

  it("parts of a number are compared as numbers", () => {
    const names = ["1.10-c.md", "1.9-b.md", "1-a.md", "2-d.md"];
    const { wizard } = read(Object.fromEntries(names.map((name) => [`stages/${name}`, "Text.\n"])));
    expect(wizard?.stages.map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
  });

  it("hidden files, README.md and what is no Markdown are no stages", () => {
    const files = { "stages/.x.md": "", "stages/README.md": "", "stages/a.txt": "", "stages/1-a.md": "A.\n" };
    expect(read(files).wizard?.stages.map(({ id }) => id)).toEqual(["a"]);
  });

  it("one number twice, and none, are warnings that name the files", () => {
    const result = read({ "stages/1-a.md": "A.\n", "stages/01-b.md": "B.\n", "stages/c.md": "C.\n" });
    expect(result.wizard?.stages.map(({ id }) => id)).toEqual(["b", "a", "c"]);
    expect(faults(result)).toEqual([
      'warning stage-number-twice 1 "1-a.md" has the same number as "01-b.md"; they are ordered by name.',
      'warning stage-unnumbered 1 "c.md" has no number; it comes after the numbered stages.',
    ]);
  });

  it("steps count when the metadata or a person says so, and are called by name", () => {
    const files = { "steps/1-a.md": stage("name: First"), "steps/2-b.md": "B.\n" };
    expect(read(files)).toEqual({ diagnostics: [] });
    expect(hasStages(create(files))).toBe(false);
    for (const result of [read(files, { asked: true }), read(files, {}, { wizard: "true" })]) {
      expect(result.diagnostics).toEqual([]);
      expect(result.wizard?.stages.map(({ title }) => title)).toEqual(["First", "b"]);
    }
  });

  it("needs may be a list or text, by id or by file name, and come in the order of the stages", () => {
    const { wizard } = read({
      "stages/1-a.md": "A.\n",
      "stages/2-b.md": "B.\n",
      "stages/3-c.md": stage("needs: b, a"),
      "stages/4-d.md": stage("needs: []"),
      "stages/5-e.md": "E.\n",
    });
    expect(wizard?.stages.map(({ needs }) => needs)).toEqual([
      [],
      ["a"],
      ["a", "b"],
      [],
      ["a", "b", "c", "d"],
    ]);
  });

  it("CRLF and a byte-order mark read like the plain file", () => {
    const [plain, windows] = [stage("title: A\ngate: none"), `\uFEFF${stage("title: A\ngate: none")}`];
    const one = read({ "stages/1-a.md": plain });
    const other = read({ "stages/1-a.md": windows.replaceAll("\n", "\r\n") });
    expect(other.wizard).toEqual(one.wizard);
    expect(other.digest).toBe(one.digest);
  });

  it("the digest changes with any stage and with the intro, not with the order of keys", () => {
    const digests = [
      read({ "stages/1-a.md": stage("title: A\noutput: {type: object, title: T}") }),
      read({ "stages/1-a.md": stage("output: {title: T, type: object}\ntitle: A") }),
      read({ "stages/1-a.md": stage("title: A\noutput: {type: object, title: U}") }),
      readWizard(
        create({ "stages/1-a.md": stage("title: A\noutput: {type: object, title: T}") }, {}, "Other.\n"),
      ),
    ].map(({ digest }) => digest);
    expect(digests[1]).toBe(digests[0]);
    expect(new Set(digests).size).toBe(3);
  });
});

describe("a fault that could lose a stage or a limit refuses the wizard", () => {
  it.each<[string, string, string]>([
    ["gate: aprove", "stage-gate", 'The gate "aprove" is none of approve, form, none.'],
    ["gate: no", "stage-gate", 'The gate "no" is none of'],
    ["gate:", "stage-gate", 'The gate "" is none of'],
    ["gate: [none]", "stage-gate", 'The gate "[none]" is none of'],
    ["title: A\noutput: string", "stage-schema", '"output" is no JSON Schema. The schema must be an object'],
    ["output: {version: {type: string}}", "stage-schema", '"version" is no keyword of JSON Schema'],
    ["output: {properties: {a: {type: text}}}", "stage-schema", '"properties.a.type" must be one of'],
    ["output:", "stage-schema", '"output" is no JSON Schema.'],
    ["gate: form\nform: {type: objct}", "stage-schema", '"form" is no JSON Schema.'],
    ["gate: form", "stage-form-missing", 'needs a "form" or an "output"'],
    [
      "needs: [later]",
      "stage-needs",
      'names "later", which does not come before this stage. It is the first stage.',
    ],
    ["needs: nowhere", "stage-needs", 'names "nowhere", which is no stage.'],
    ["needs: [a]", "stage-needs", 'names "a", which does not come before this stage.'],
    ["needs: {a: b}", "stage-needs", '"needs" must be a list of the ids'],
    ["check: [npm, test]", "stage-check", '"check" must be one command, as text.'],
    ["check: {a: b}", "stage-check", '"check" must be one command'],
    ["check:", "stage-check", '"check" must be one command'],
    ["max-attempts: 0", "stage-attempts", "from 1 to 20, not 0."],
    ["max-attempts: 21", "stage-attempts", "not 21."],
    ["max-attempts: 1.5", "stage-attempts", "not 1.5."],
    ["max-attempts: many", "stage-attempts", 'not "many".'],
    ["disallowed-tools: Bash", "stage-key-limit", 'write "allowed-tools" with "restrict: true"'],
    ["Restrict: true", "stage-key-limit", '"Restrict" is not read; write "restrict".'],
    ["restrct: true", "stage-key-limit", '"restrct" is not read; write "restrict".'],
    ["restricted: true", "stage-key-limit", '"restricted" is not read; write "restrict".'],
    ["gaet: form", "stage-key-limit", '"gaet" is not read; write "gate".'],
    ["checks: npm test", "stage-key-limit", '"checks" is not read; write "check".'],
    ["out-puts: {type: object}", "stage-key-limit", '"out-puts" is not read; write "output".'],
    ["from: {type: object}", "stage-key-limit", '"from" is not read; write "form".'],
    ["dissallowed_tools: Bash", "stage-key-limit", '"dissallowed_tools" is no key of a stage; write'],
    ["gaet: [form\n  x", "header-unreadable", "It sets a limit"],
    ["gate: approve\ngate: none", "header-duplicate-limit", 'The key "gate" stands here a second time'],
    ["output: {a: [", "stage-schema", 'The schema must be an object, not "{a: [".'],
    ["model: m\n%stray", "header-unreadable", 'Not a "key: value" line: "%stray".'],
  ])("%j", (header, code, message) => {
    const result = read({ "stages/1-a.md": stage(header), "stages/2-later.md": "B.\n" });
    expect(result.wizard).toBeUndefined();
    expect(result.digest).toBeUndefined();
    const errors = result.diagnostics.filter(({ severity }) => severity === "error");
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(errors[0]?.path).toMatch(/stages\/1-a\.md$/);
  });

  it("the error stands at the line of its key", () => {
    const result = read({ "stages/1-a.md": stage("title: A\nmodel: m\ngate: nope") });
    expect(result.diagnostics[0]?.line).toBe(4);
  });

  it.each<[string, string, string]>([
    ["an unclosed header", "---\ntitle: A\n", "header-unclosed"],
    ["a header in another language", "---js\n({})\n---\n", "header-language"],
    ["a header without its first line", "gate: none\n---\nText.\n", "stage-header-open"],
  ])("%s", (_title, text, code) => {
    const result = read({ "stages/1-a.md": text });
    expect(result.wizard).toBeUndefined();
    expect(result.diagnostics.map((each) => each.code)).toContain(code);
  });

  it("two stages of one name are named with their places, whatever the case", () => {
    const result = read({ "stages/1-Plan.md": "A.\n", "stages/2-plan.md": "B.\n" });
    expect(result.wizard).toBeUndefined();
    expect(result.diagnostics[0]?.message).toMatch(/stages\/1-Plan\.md:1 and \/.*stages\/2-plan\.md:1\.$/);
  });

  it("the name that stops a wizard is no stage's", () => {
    expect(read({ "stages/__end__.md": "A.\n" }).diagnostics.map(({ code }) => code)).toContain(
      "stage-id-reserved",
    );
  });

  it("a link that leads out of the skill, a folder and a broken link are errors", () => {
    const outside = writeFile(join(createFolder(), "secret.md"), "Secret.\n");
    for (const place of ["outside", "folder", "nowhere"]) {
      const skill = create({ "stages/1-a.md": "A.\n" });
      const path = join(skill.directory, "stages/2-b.md");
      if (place === "folder") mkdirSync(path);
      else symlinkSync(place === "outside" ? outside : join(skill.directory, "none"), path);
      const result = readWizard(skill);
      expect(result.wizard).toBeUndefined();
      expect(result.diagnostics).toMatchObject([{ code: "stage-unreadable", path, severity: "error" }]);
      expect(JSON.stringify(result)).not.toContain("Secret");
    }
  });

  it("a folder of stages that is a link out of the skill is refused, one inside is read", () => {
    const skill = create({ "parts/1-a.md": "A.\n" });
    symlinkSync("parts", join(skill.directory, "stages"));
    expect(readWizard(skill).wizard?.stages).toHaveLength(1);
    const moved = join(createFolder(), "parts");
    renameSync(join(skill.directory, "parts"), moved);
    symlinkSync(moved, join(skill.directory, "parts"));
    expect(hasStages(skill)).toBe(true);
    expect(readWizard(skill).diagnostics[0]?.message).toContain("outside of the skill's folder");
  });

  it("a file that is not UTF-8, and a folder that may not be read, are errors", () => {
    const latin = create({});
    writeFile(join(latin.directory, "stages/1-a.md"), Buffer.from("caf\xe9\n", "latin1"));
    expect(readWizard(latin).diagnostics[0]?.message).toContain("Line 1 is not UTF-8");
    const closed = create({ "stages/1-a.md": "A.\n" });
    chmodSync(join(closed.directory, "stages"), 0);
    withoutPrivileges(() => {
      expect(hasStages(closed)).toBe(true);
      expect(faults(readWizard(closed))[0]).toMatch(/^error wizard-unreadable 1 The stages of the skill "x"/);
    });
    chmodSync(join(closed.directory, "stages"), 0o755);
  });

  it("more stages than a hundred are refused", () => {
    const files = Object.fromEntries(
      Array.from({ length: 102 }, (_, at) => [`stages/${at}-s${at}.md`, "A.\n"]),
    );
    expect(faults(read(files))).toEqual(["error wizard-large 1 The wizard has more than 100 stages."]);
  });
});

describe("what is only a warning", () => {
  it.each<[string, string]>([
    ["titel: A", '"titel" is no key of a stage; it is not read. Did you mean "title"?'],
    ["allowed_tools: Read", 'Did you mean "allowed-tools"?'],
    ["colour: red", "Keys of a stage: title, gate,"],
    ["date: 2024-01-01", '"date" is no key of a stage'],
    ["note: x", '"note" is no key of a stage'],
    ["format: x", '"format" is no key of a stage'],
    [
      "output: {type: object, proprties: {a: {type: string}}}",
      'In "output", "proprties" is no keyword and checks nothing. Did you mean "properties"?',
    ],
    ["gate: form\nform: {type: array, minItem: 2}", 'In "form", "minItem" is no keyword'],
    ["output: {properties: {a: {type: string, minlength: 2}}}", '"properties.a.minlength" is no keyword'],
    [
      "output: {properties: {a: {items: {type: object, reqired: [x]}}}}",
      '"properties.a.items.reqired" is no keyword',
    ],
    [
      "output: {properties: {mail: {type: string, format: emial}}}",
      'In "output", the format "emial" of "properties.mail.format" is not known and checks nothing.',
    ],
    ["form: {type: object}", '"form" is not used at the gate "approve".'],
    ["restrict: perhaps", '"restrict" should be true or false; read as true.'],
    ["title: Plan: it", '"title" is not valid YAML'],
  ])("%j", (header, message) => {
    const result = read({ "stages/1-a.md": stage(header) });
    expect(result.wizard?.stages).toHaveLength(1);
    expect(result.diagnostics).toMatchObject([
      { severity: "warning", message: expect.stringContaining(message) },
    ]);
  });

  it("names of fields, notes of other programs and known formats are no slips of a schema", () => {
    const fields = "minItem: {type: string, format: email, x-hint: a, placeholder: b, $comment: c}";
    const result = read({ "stages/1-a.md": stage(`output: {type: object, properties: {${fields}}}`) });
    expect(result.diagnostics).toEqual([]);
  });

  it("a name in a folder of stages is no title, and a stage without text says so", () => {
    const result = read({ "stages/1-a.md": stage("name: A", "\n") });
    expect(result.wizard?.stages[0]?.title).toBe("a");
    expect(result.diagnostics.map(({ code }) => code)).toEqual(["stage-key", "stage-empty"]);
  });
});

describe("which skills are wizards", () => {
  it("an ordinary skill is none and gives no diagnostics", () => {
    for (const files of [
      {},
      { "stages/README.md": "" },
      { "stages/a.txt": "" },
      { stages: "a file" },
    ] as Files[]) {
      expect(hasStages(create(files))).toBe(false);
      expect(read(files)).toEqual({ diagnostics: [] });
    }
    const skill = create({}, { wizard: "false" }, "## Stage 1: A\n\n## Stage 2: B\n");
    expect(hasStages(skill)).toBe(false);
    expect(readWizard(skill)).toEqual({ diagnostics: [] });
  });

  it("a folder of stages or the metadata makes one, and no file is read for the answer", () => {
    expect(hasStages(create({ "stages/1-a.md": "A.\n" }))).toBe(true);
    const gone = { path: "/nowhere/SKILL.md", directory: "/nowhere", metadata: { wizard: "True" } };
    expect(hasStages(gone)).toBe(true);
  });

  it.each([{ asked: true }, {}])("one that should have stages and has none is an error (%j)", (options) => {
    const result = read({}, options, options.asked ? {} : { wizard: "true" });
    expect(faults(result)).toEqual([
      'error wizard-without-stages 1 The skill "x" has no stages: neither files such as stages/01-plan.md nor headings such as "## Stage 1: Plan".',
    ]);
  });

  it("headings give stages with lines of the file, and one that is repeated whole is an error with both", () => {
    const body =
      "Intro.\n\n## Stage 1: Plan\n\nA.\n\n## Stage 2: Do\n\nB.\n\n## Stage 1: plan\n\nC.\n\n## Stage 1: Plan\n";
    const skill = create({}, { wizard: "true" }, body);
    const lines = readFileSync(skill.path, "utf8").split("\n");
    const second = lines.indexOf("## Stage 1: plan") + 1;
    const third = lines.indexOf("## Stage 1: Plan", second) + 1;
    expect(faults(readWizard(skill)).filter((fault) => fault.startsWith("error"))).toEqual([
      `error stage-id-twice ${third} Two stages are called "plan-stage-1": ${skill.path}:${second} and ${skill.path}:${third}.`,
    ]);
  });

  it("headings make stages that a person approves", () => {
    const skill = create({}, {}, "Intro.\n\n## Step 1: Look\n\nA.\n\n## Step 2: Do\n\n## Notes\n\nN.\n");
    const plain = { gate: "approve", allowedTools: [], restrict: false, maxAttempts: 3 };
    const result = readWizard(skill, { asked: true });
    expect(result.wizard).toEqual({
      intro: "Intro.\n\n## Notes\n\nN.",
      stages: [
        { id: "look", title: "Look", ...plain, needs: [], text: "A." },
        { id: "do", title: "Do", ...plain, needs: ["look"], text: "" },
      ],
    });
    expect(result.diagnostics).toMatchObject([{ code: "stage-empty", severity: "warning" }]);
  });

  it("a SKILL.md that is gone is an error", () => {
    const skill = create({ "stages/1-a.md": "A.\n" });
    renameSync(skill.path, join(dirname(skill.path), "gone"));
    expect(readWizard(skill).diagnostics).toMatchObject([{ code: "wizard-unreadable", severity: "error" }]);
  });
});
