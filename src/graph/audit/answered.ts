import type { AuditRecord } from "../state.ts";

/**
 * Who answered a request, and how: `approve by anna@host at 2026-11-30T10:03:04Z`. Undefined where nobody did, as far
 * as the records tell.
 *
 * @param request the id of a request; left out, the last one that was answered
 */
export function describeAnswer(records: readonly AuditRecord[], request?: string): string | undefined {
  const last = records.findLast(
    (record) => isAnswer(record) && (request ?? record.request) === record.request,
  );
  if (!last) return undefined;
  const answers = records.filter((record) => isAnswer(record) && record.request === last.request);
  const verdicts = [...new Set(answers.map(({ verdict }) => verdict))].join(", ");
  return `${verdicts} by ${last.who ?? "a person"} at ${last.at.replace(/\.\d+Z$/, "Z")}`;
}

function isAnswer({ by, request }: AuditRecord): boolean {
  return by === "person" && request !== undefined;
}
