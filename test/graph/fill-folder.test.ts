import { describe, expect, it } from "vitest";
import { fillFolder } from "../../src/graph/fill-folder.ts";
import { toGrant } from "../../src/permissions/decide.ts";
import { decideBash, decidePath } from "../permissions/support.ts";

const FOLDERS = [
  "/opt/plain",
  "/opt/a b",
  "/opt/[x]*y",
  "/opt/{a,b}",
  "/opt/it's",
  "/opt/$HOME",
  "/opt/a\\b",
];

describe("the folder of a skill in its rules", () => {
  it.each(FOLDERS)(
    "%s is filled in as it is, in every spelling, and stands for no other folder",
    (folder) => {
      const quoted = `'${folder.replaceAll("'", `'\\''`)}/x.sh'`;
      for (const entry of [
        ...["Bash({baseDir}/x.sh:*)", 'Bash("{baseDir}/x.sh" *)', "Bash(${CLAUDE_SKILL_DIR}/x.sh:*)"],
        ...[
          'Bash("${CLAUDE_SKILL_DIR}"/x.sh:*)',
          "Bash(${SKILL_DIR}/x.sh:*)",
          "Bash($CLAUDE_SKILL_DIR/x.sh:*)",
        ],
        ...['Bash("$SKILL_DIR/x.sh":*)', "Shell({baseDir}/x.sh:*)", "execute_command({baseDir}/x.sh:*)"],
      ]) {
        const grants = [toGrant("one", [fillFolder(entry, folder)], [])];
        expect([entry, decideBash(`${quoted} y`, grants).verdict]).toEqual([entry, "allow"]);
        for (const other of [
          "/opt/x.sh",
          "/opt/a",
          "/opt/a/x.sh",
          "/opt/b/x.sh",
          "/opt/xy/x.sh",
          "/opt/xzzy/x.sh",
        ])
          expect([entry, other, decideBash(`${other} y`, grants).verdict]).toEqual([entry, other, "ask"]);
      }
    },
  );

  it.each(FOLDERS)("%s in a rule for paths covers what is in it, and nothing else", (folder) => {
    for (const mark of ["{baseDir}", "${CLAUDE_SKILL_DIR}", "${SKILL_DIR}", "$SKILL_DIR"]) {
      const grants = [toGrant("one", [fillFolder(`Read(${mark}/data/**)`, folder)], [])];
      expect(decidePath("Read", "read", `${folder}/data/x`, grants).verdict).toBe("allow");
      expect(decidePath("Read", "read", `${folder}/other`, grants).verdict).toBe("ask");
      for (const other of ["/opt/a/data/x", "/opt/b/data/x", "/opt/xzzy/data/x"])
        expect(decidePath("Read", "read", other, grants).verdict).toBe("ask");
    }
  });

  it("with a parenthesis that is not closed makes the rule none", () => {
    const grant = toGrant("one", [fillFolder("Bash({baseDir}/x.sh:*)", "/opt/a)b")], []);
    expect(decideBash("'/opt/a)b/x.sh' y", [grant]).verdict).toBe("ask");
  });

  it("is not filled in between single quotes, where a shell would not look", () => {
    const grant = toGrant("one", [fillFolder("Bash('{baseDir}/x.sh':*)", "/opt/a")], []);
    expect(decideBash("/opt/a/x.sh y", [grant]).verdict).toBe("ask");
  });
});
