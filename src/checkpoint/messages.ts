import * as library from "@langchain/core/messages";

type MessageClass = new (fields: Record<string, unknown>) => library.BaseMessage;

/** The classes that LangChain's reader knows, by the name under which they are stored. */
const classes = new Map<string, MessageClass>(
  Object.entries(library).filter((entry): entry is [string, MessageClass] => isMessageClass(entry[1])),
);

/** True for a message that can be stored and read again: one of LangChain's own classes. */
export function isMessage(value: object): value is library.BaseMessage {
  if (!("lc_id" in value) || !("lc_kwargs" in value) || !("lc_serializable" in value)) return false;
  const { lc_id: id } = value;
  return value.lc_serializable === true && Array.isArray(id) && findMessageClass(id) !== undefined;
}

/** The class of a stored message; undefined when it is none of LangChain's messages. */
export function findMessageClass(id: readonly unknown[]): MessageClass | undefined {
  const [root, folder, name] = id;
  if (id.length !== 3 || root !== "langchain_core" || folder !== "messages") return undefined;
  return classes.get(String(name));
}

/** `instanceof` of LangChain looks at the fields of an object, which a prototype does not have. */
function isMessageClass(value: unknown): boolean {
  if (typeof value !== "function") return false;
  return Object.prototype.isPrototypeOf.call(library.BaseMessage.prototype, value.prototype);
}
