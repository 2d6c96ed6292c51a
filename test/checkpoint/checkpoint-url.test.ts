import { describe, expect, it } from "vitest";
import { parseCheckpointUrl } from "../../src/checkpoint/checkpoint-url.ts";

describe("parseCheckpointUrl", () => {
  it.each([
    ["sqlite:threads.db", "/base/threads.db"],
    ["sqlite:a/b c.sqlite", "/base/a/b c.sqlite"],
    ["sqlite:./x", "/base/x"],
    ["sqlite:../x.db", "/x.db"],
    ["sqlite:/abs/x", "/abs/x"],
    ["sqlite:///abs/x.db", "/abs/x.db"],
    ["SQLite:x.db", "/base/x.db"],
    ["file:///abs/a%20b.db", "/abs/a b.db"],
    ["file:/abs/x.db", "/abs/x.db"],
    ["file:x.db", "/base/x.db"],
    ["x.db", "/base/x.db"],
    [".skillgraph/threads.db", "/base/.skillgraph/threads.db"],
    ["/abs/x.DB", "/abs/x.DB"],
  ])("reads %s", (text, path) => {
    expect(parseCheckpointUrl(text, "/base")).toEqual({ kind: "file", path });
  });

  it("reads memory:", () => {
    expect(parseCheckpointUrl("memory:")).toEqual({ kind: "memory" });
  });

  it.each([
    "",
    " ",
    "threads",
    ".db",
    "a/.db",
    "sqlite:",
    "sqlite:/",
    "sqlite:a/",
    "sqlite://host/x.db",
    "sqlite::memory:",
    "sqlite:x.db?mode=ro",
    "file://host/x.db",
    "file:/a%00b.db",
    "file:/%zz.db",
    "memory:x",
    "memory",
    ":memory:",
    "redis://localhost",
    "https://example.org/x.db",
    "x\0.db",
  ])("refuses %j, quotes it and lists the forms", (text) => {
    expect(() => parseCheckpointUrl(text, "/base")).toThrow(
      expect.objectContaining({
        code: "checkpoint-url-invalid",
        message: expect.stringMatching(
          /^".*" is not a place for checkpoints\. Known forms: "sqlite:<path>", .*"memory:"\.$/,
        ),
      }),
    );
  });

  it.each([
    ["postgres://user:s3c%2Fret@host/db", "postgres://host/db", "postgres://user:***@host/db"],
    [
      "postgresql://user@host:5433/my%20db",
      "postgres://host:5433/my db",
      "postgresql://user@host:5433/my%20db",
    ],
    ["POSTGRES://host/x.db", "postgres://host/x.db", "postgres://host/x.db"],
    ["postgres:///db?host=/run/pg", "postgres:///run/pg/db", "postgres:///db?host=/run/pg"],
    ["postgres:///db", "postgres://localhost/db", "postgres:///db"],
  ])("reads %s, names host and database, and shows no password", (text, name, shown) => {
    const place = parseCheckpointUrl(text);
    expect(place).toMatchObject({ kind: "postgres", name, schema: "skillgraph" });
    expect(place.kind === "postgres" && decodeURIComponent(place.shown)).toBe(decodeURIComponent(shown));
  });

  it("reads the schema of PostgreSQL and keeps what else is asked of the driver", () => {
    const place = parseCheckpointUrl("postgres://user:s3cret@host/db?sslmode=require&schema=team_1");
    expect(place).toEqual({
      kind: "postgres",
      url: "postgres://user:s3cret@host/db?sslmode=require",
      shown: "postgres://user:***@host/db?sslmode=require&schema=team_1",
      name: "postgres://host/db",
      schema: "team_1",
    });
  });

  it.each([
    ["postgres://user:s3cret@host", /names no database/],
    ["postgres://user:s3cret@host/", /names no database/],
    ["postgres://user:s3cret@host/a/b", /names no database/],
    ["postgres://user:s3c@/s3cret@host/db", /cannot be read|names no database/],
    ["postgres://user:s3cret@host:port/db", /cannot be read/],
    ["postgres:s3cret", /names no database|cannot be read/],
    ["postgres://s3cret@host/db?schema=a%22b", /names the schema "a"b"/],
    ["postgres://s3cret@host/db?schema=Team", /names the schema "Team"/],
    ["postgres://s3cret@host/db?schema=pg_x", /names the schema "pg_x"/],
    ["postgres://host?user=u&password=s3cret", /names no database/],
    ["postgres://user:***@host/db", /in place of the password; leave ":\*\*\*" out and set PGPASSWORD/],
    ["postgres://host/db?user=u&password=***", /in place of the password/],
  ])("refuses %s without its password", (text, reason) => {
    const read = () => parseCheckpointUrl(text);
    expect(read).toThrow(expect.objectContaining({ code: "checkpoint-url-invalid" }));
    expect(read).toThrow(reason);
    if (text.includes("@") || text.includes("password")) expect(read).not.toThrow(/s3c/);
  });
});
