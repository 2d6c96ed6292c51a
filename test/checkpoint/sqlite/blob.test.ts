import { describe, expect, it } from "vitest";
import { createSerializer } from "../../../src/checkpoint/serializer.ts";
import { readValues, storeBlob } from "../../../src/checkpoint/sqlite/blob.ts";
import type { StoredValue } from "../../../src/checkpoint/values.ts";
import { encodeValue } from "../../../src/checkpoint/values.ts";
import { openTestSaver } from "../support.ts";

const long = (text: string) => text.repeat(Math.ceil(500 / text.length));

/** Texts that a search for their end may get wrong. */
const TEXTS = [
  long("plain "),
  long("\\"),
  `${long("\\")}\\`,
  long('"'),
  long('\\"'),
  long("\u0001 12 \u0001"),
  long("line\n\ttab\u0000"),
  long("日本語😀"),
  long("\ud800"),
];

describe("long texts", () => {
  it.each(TEXTS.map((text) => [JSON.stringify(text).slice(0, 20), text]))(
    "%s… within a value is stored once and comes back as it was",
    async (_title, text) => {
      const { database } = await openTestSaver();
      const serde = createSerializer();
      const values = [{ a: text, b: [text, "short", `${text}!`], [text]: 1 }, { other: { text } }, [text]];
      for (const value of values) {
        const encoded = await encodeValue(serde, value);
        const key = await database.write(() => storeBlob(database, 1, encoded));
        const select = "SELECT 'x' AS channel, type, value FROM blob WHERE key = ?";
        const [read] = await database.read(() => readValues<StoredValue>(database, select, key));
        expect(read?.type).toBe("json");
        expect(await serde.loadsTyped("json", read?.value as string)).toEqual(value);
        expect(await database.write(() => storeBlob(database, 1, encoded))).toBe(key);
      }
      const count = "SELECT count(*) AS count FROM blob WHERE type = 'text'";
      expect(database.get<{ count: number }>(count)?.count).toBe(2);
    },
  );
});
