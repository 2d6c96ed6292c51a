import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { askMenu, type Menu } from "../../src/cli/menu.ts";

const options = Array.from({ length: 40 }, (_, index) => ({ value: index, label: `choice ${index}` }));

/** Presses keys at a menu of a terminal of some size, and gives the answer with all that was drawn. */
async function press(keys: string, menu: Partial<Menu<number>>, size: { columns?: number; rows?: number }) {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), size);
  let drawn = "";
  output.on("data", (chunk) => {
    drawn += String(chunk);
  });
  const answer = askMenu({ message: "Which?", options, initialValue: 0, ...menu }, { input, output });
  input.write(keys);
  return { answer: await answer, drawn };
}

describe("a menu", () => {
  it.each([{}, { columns: 0, rows: 0 }, { columns: 20, rows: 5 }, { columns: 200, rows: 80 }])(
    "keeps its labels whole on a terminal of %j, and shows the marked one",
    async (size) => {
      const { answer, drawn } = await press("\r", { initialValue: 33 }, size);
      expect(answer).toEqual({ kind: "chosen", value: 33 });
      expect(drawn).toContain(" choice 33\n");
    },
  );

  it("shows what is typed, and takes it with its corrections", async () => {
    const { answer, drawn } = await press("yex\u007fs\r", {}, {});
    expect(answer).toEqual({ kind: "typed", text: "yes" });
    expect(drawn).toContain("> ye\n");
  });

  it.each(["\u0003", "\u0004"])("is left with %j", async (key) => {
    expect((await press(key, {}, {})).answer).toEqual({ kind: "left" });
  });

  it("ends with its input", async () => {
    const input = new PassThrough();
    const answer = askMenu(
      { message: "Which?", options, initialValue: 0 },
      { input, output: new PassThrough() },
    );
    input.end();
    expect(await answer).toEqual({ kind: "left" });
  });

  it("what a label holds cannot steer the terminal", async () => {
    const { drawn } = await press("\r", { options: [{ value: 0, label: "a\u001b[2Jb\nc" }] }, {});
    expect(drawn).not.toContain("\u001b[2J");
    expect(drawn).toContain("a␛[2Jb c");
  });
});
