import { isRecord } from "../../skills/record.ts";

const REQUEST_ID = /^req-[0-9a-f]{12}$/;

/** A reply that names the request that it is for, `{request: "req-…", …}`, without that name. */
export interface Addressed {
  request: string;
  reply: Record<string, unknown>;
}

/** Takes the name of its request out of a reply; undefined where it names none. */
export function readAddressed(reply: unknown): Addressed | undefined {
  if (!isRecord(reply) || typeof reply.request !== "string" || !REQUEST_ID.test(reply.request))
    return undefined;
  const { request, ...rest } = reply;
  return { request, reply: rest };
}
