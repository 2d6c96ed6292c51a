import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint, CheckpointMetadata, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import type pg from "pg";
import type { Encoded } from "../values.ts";
import type { Session } from "./database.ts";

const NUL = /\0/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** A statement of LangGraph's saver, to be run in a transaction of ours. */
interface Statement {
  text: string;
  values: unknown[];
}

/** LangGraph's own saver, whose tables hold checkpoints, values and writes. */
export async function loadShipped(): Promise<typeof PostgresSaver> {
  return (await import("@langchain/langgraph-checkpoint-postgres")).PostgresSaver;
}

/** Stores a checkpoint without its values, as LangGraph's saver does. */
export async function putShipped(
  session: Session,
  schema: string,
  config: RunnableConfig,
  checkpoint: Checkpoint,
  metadata: Encoded,
): Promise<void> {
  // The metadata is serialised already: it is handed over, and this serialiser hands it on.
  const serde: SerializerProtocol = {
    dumpsTyped: async (value) => ["json", new TextEncoder().encode(value as string)],
    loadsTyped: () => Promise.reject(new TypeError("Nothing is read here.")),
  };
  const text = cleanJson(metadata.value as string) as unknown as CheckpointMetadata;
  const { channel_values: _values, ...body } = checkpoint;
  const bare = { ...body, channel_values: {} };
  await replay(session, schema, serde, (saver) => saver.put(config, bare, text, {}));
}

/** Deletes a thread as LangGraph's saver does. */
export async function deleteShipped(session: Session, schema: string, threadId: string): Promise<void> {
  await replay(session, schema, undefined, (saver) => saver.deleteThread(threadId));
}

/** Lets LangGraph's saver say what it would run and runs that in our transaction, without its own BEGIN and COMMIT. */
async function replay(
  session: Session,
  schema: string,
  serde: SerializerProtocol | undefined,
  act: (saver: PostgresSaver) => Promise<unknown>,
): Promise<void> {
  const statements: Statement[] = [];
  const query = async (text: string, values: unknown[] = []) => {
    if (!/^(BEGIN|COMMIT|ROLLBACK)$/.test(text)) statements.push({ text, values });
    return { rows: [] };
  };
  const pool = { connect: async () => ({ query, release: () => undefined }) } as unknown as pg.Pool;
  const Shipped = await loadShipped();
  await act(new Shipped(pool, serde, { schema }));
  for (const { text, values } of statements) await session.run(text, ...values);
}

/** PostgreSQL's JSON can hold neither NUL nor half a surrogate pair: they become visible. */
function cleanJson(json: string): string {
  if (!/\\u(0000|d[89a-f])/i.test(json)) return json;
  return JSON.stringify(
    JSON.parse(json, (_key, value) => (typeof value === "string" ? cleanCell(value) : value)),
  );
}

/** A text as PostgreSQL can hold it: NUL becomes `␀`, half a surrogate pair `�`. */
export function cleanCell(text: string): string {
  return text.replace(NUL, "␀").replace(LONE_SURROGATE, "�");
}
