/** Marks a file as ours, so that the database of another program is never touched. */
const APPLICATION_ID = 0x736b6c67;

/**
 * One entry a schema version; never change one that was released, add the next.
 *
 * A line is the history of one namespace of a thread: `head` is its newest checkpoint and `stamp` counts its
 * changes. A blob is stored once a line, however many checkpoints and writes refer to it. A checkpoint without
 * a body is only a name: writes to it came before itself. With a shape, its body holds what fills that (`shape.ts`).
 */
const MIGRATIONS = [
  `CREATE TABLE line (
     key INTEGER PRIMARY KEY AUTOINCREMENT, thread_id TEXT NOT NULL, ns TEXT NOT NULL, head INTEGER,
     stamp INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL, UNIQUE (thread_id, ns));
   CREATE TABLE checkpoint (
     key INTEGER PRIMARY KEY AUTOINCREMENT, line INTEGER NOT NULL, id TEXT NOT NULL, parent INTEGER,
     body TEXT, refs TEXT, metadata_type TEXT, metadata BLOB, UNIQUE (line, id));
   CREATE INDEX checkpoint_by_line ON checkpoint (line);
   CREATE TABLE blob (
     key INTEGER PRIMARY KEY, line INTEGER NOT NULL, digest BLOB NOT NULL, type TEXT NOT NULL, value BLOB NOT NULL,
     UNIQUE (line, digest));
   CREATE TABLE pending (
     checkpoint INTEGER NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL, task_path TEXT NOT NULL,
     channel TEXT NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (checkpoint, task_id, idx)) WITHOUT ROWID;
   CREATE TABLE thread_info (
     thread_id TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (thread_id, name)) WITHOUT ROWID;
   CREATE TABLE lease (
     thread_id TEXT PRIMARY KEY, life TEXT NOT NULL, machine TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
     start_time TEXT NOT NULL, since INTEGER NOT NULL, beat INTEGER NOT NULL, groups TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE store (id TEXT NOT NULL);
   INSERT INTO store VALUES (lower(hex(randomblob(16))));`,
  `ALTER TABLE lease ADD COLUMN who TEXT;
   ALTER TABLE lease ADD COLUMN request TEXT;`,
  "ALTER TABLE checkpoint ADD COLUMN shape INTEGER; DROP INDEX checkpoint_by_line;",
];

/** The little of a database that its schema needs. */
interface Tables {
  get: <T>(sql: string) => T | undefined;
  exec: (sql: string) => void;
}

/**
 * Says why a file must not be used, before anything in it is changed.
 *
 * @returns Undefined when the file is empty, or ours and not newer than this program.
 */
export function findObstacle(tables: Tables): string | undefined {
  const id = tables.get<{ application_id: number }>("PRAGMA application_id")?.application_id ?? 0;
  const version = readVersion(tables);
  const count = tables.get<{ count: number }>("SELECT count(*) AS count FROM sqlite_master")?.count ?? 0;
  if (id !== APPLICATION_ID) {
    return id === 0 && count === 0 ? undefined : "it is the SQLite database of another program";
  }
  if (version <= MIGRATIONS.length) return undefined;
  return `it was written by a newer skillgraph (format ${version}, this one knows ${MIGRATIONS.length}); update skillgraph`;
}

/** True when tables are missing or older than this program. */
export function isOutdated(tables: Tables): boolean {
  return readVersion(tables) < MIGRATIONS.length;
}

/** Brings the tables up to date. Runs inside a write transaction: another process may just have done it. */
export function migrate(tables: Tables): void {
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < readVersion(tables)) continue;
    tables.exec(sql);
    tables.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${index + 1};`);
  }
}

function readVersion(tables: Tables): number {
  return tables.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
}
