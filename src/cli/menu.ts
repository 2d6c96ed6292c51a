import { createInterface } from "node:readline";
import { styleText } from "node:util";
import { S_BAR, S_BAR_END, S_RADIO_ACTIVE, S_RADIO_INACTIVE, symbol } from "@clack/prompts";
import { toSafeLine } from "./safe-text.ts";
import type { Streams } from "./streams.ts";

/** One thing that can be chosen. */
export interface MenuOption<Value> {
  value: Value;
  label: string;
  hint?: string;
}

/** What a person did with a menu: chose with the arrows, typed words, or left. */
export type MenuAnswer<Value> =
  | { kind: "chosen"; value: Value }
  | { kind: "typed"; text: string }
  | { kind: "left" };

/** What a menu shows. */
export interface Menu<Value> {
  message: string;
  options: MenuOption<Value>[];
  /** Where the mark stands first: what Enter alone chooses. */
  initialValue: Value;
}

/** Lines around the options, and characters before each of them and after. */
const FRAME = 6;
const MARGIN = 8;
const HELP = "↑/↓, or words; then Enter";

/**
 * A menu on the terminal. Only the arrows move its mark, and not past its ends: in a list where a letter or one step
 * too far moves from "Later" to "Approve", a stray key decides. What is typed is shown and handed over as words.
 */
export function askMenu<Value>(menu: Menu<Value>, streams: Streams): Promise<MenuAnswer<Value>> {
  const { input = process.stdin, output = process.stdout } = streams;
  const { message, options, initialValue } = menu;
  let cursor = Math.max(
    0,
    options.findIndex(({ value }) => value === initialValue),
  );
  let height = 0;
  return new Promise((resolve) => {
    const reader = createInterface({ input, terminal: true, historySize: 0, escapeCodeTimeout: 50 });
    const draw = (lines: string[]) => {
      output.write(`${height === 0 ? "" : `\u001b[${height}A`}\r\u001b[J${lines.join("\n")}\n`);
      height = lines.length;
    };
    const show = () => {
      const { columns, rows } = readSize(output);
      const width = columns - MARGIN;
      const shown = listAround(options, cursor, rows - FRAME);
      const typed = toSafeLine(reader.line, Number.POSITIVE_INFINITY).slice(-width);
      const bar = styleText("cyan", S_BAR);
      draw([
        styleText("gray", S_BAR),
        `${symbol("active")}  ${message}`,
        ...shown.map((option) => `${bar}  ${toRow(option, option === options[cursor], width)}`),
        `${bar}  ${typed === "" ? styleText("dim", HELP) : `> ${typed}`}`,
        styleText("cyan", S_BAR_END),
      ]);
    };
    const press = (_text: string | undefined, key: { name?: string } | undefined) => {
      const step = key?.name === "up" ? -1 : key?.name === "down" ? 1 : 0;
      if (key?.name === "escape") return end({ kind: "left" });
      // What was typed before an arrow is not meant any more.
      if (step !== 0 && reader.line !== "") reader.write(null, { ctrl: true, name: "u" });
      cursor = Math.min(Math.max(cursor + step, 0), options.length - 1);
      if (key?.name !== "return" && key?.name !== "enter") show();
    };
    let isOver = false;
    const end = (answer: MenuAnswer<Value>) => {
      if (isOver) return;
      isOver = true;
      input.removeListener("keypress", press);
      const told = answer.kind === "typed" ? answer.text : (options[cursor]?.label ?? "");
      const mark = answer.kind === "left" ? "cancel" : "submit";
      draw([
        styleText("gray", S_BAR),
        `${symbol(mark)}  ${message}`,
        `${styleText("gray", S_BAR)}  ${styleText(answer.kind === "left" ? ["strikethrough", "dim"] : "dim", toSafeLine(told, readSize(output).columns - MARGIN))}`,
      ]);
      reader.close();
      resolve(answer);
    };
    reader.on("line", (line) => {
      const text = line.trim();
      if (text !== "") return end({ kind: "typed", text });
      const option = options[cursor];
      end(option ? { kind: "chosen", value: option.value } : { kind: "left" });
    });
    reader.on("SIGINT", () => end({ kind: "left" }));
    reader.on("close", () => end({ kind: "left" }));
    input.on("keypress", press);
    show();
  });
}

/** A menu where words are the beginning of a label, and others mean nothing; undefined when the person leaves. */
export async function askOne<Value>(menu: Menu<Value>, streams: Streams): Promise<Value | undefined> {
  for (;;) {
    const answer = await askMenu(menu, streams);
    if (answer.kind === "left") return undefined;
    if (answer.kind === "chosen") return answer.value;
    if (/^\/?(later|quit)$/i.test(answer.text)) return undefined;
    const named = findByLabel(menu.options, answer.text.toLowerCase());
    if (named) return named.value;
  }
}

/** The one option that is called so, or the only one whose label begins so. */
function findByLabel<Value>(options: MenuOption<Value>[], typed: string): MenuOption<Value> | undefined {
  const labels = options.map((option) => ({ option, label: option.label.toLowerCase() }));
  const exact = labels.find(({ label }) => label === typed);
  const begun = labels.filter(({ label }) => label.startsWith(typed));
  return exact?.option ?? (begun.length === 1 ? begun[0]?.option : undefined);
}

/** A terminal that does not know its size says zero. */
function readSize(output: Streams["output"]): { columns: number; rows: number } {
  const { columns, rows } = (output ?? {}) as { columns?: number; rows?: number };
  return { columns: Math.max(columns || 80, 30), rows: Math.max(rows || 24, FRAME + 3) };
}

/** As many options as there is room for, with the one that is marked among them. */
function listAround<Value>(options: MenuOption<Value>[], cursor: number, room: number): MenuOption<Value>[] {
  const first = Math.min(Math.max(0, cursor - Math.floor(room / 2)), Math.max(0, options.length - room));
  return options.slice(first, first + room);
}

function toRow<Value>({ label, hint }: MenuOption<Value>, isActive: boolean, width: number): string {
  const more = hint === undefined || !isActive ? "" : ` (${hint})`;
  const shown = toSafeLine(`${label}${more}`, width);
  if (!isActive) return `${styleText("dim", S_RADIO_INACTIVE)} ${styleText("dim", shown)}`;
  return `${styleText("green", S_RADIO_ACTIVE)} ${shown}`;
}
