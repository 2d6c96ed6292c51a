import { getSystemErrorMap } from "node:util";
import { toMessage } from "../../errors.ts";

/** What the system says, without the path it was given, which is not always the one that people know. */
export function explainSystemError(error: unknown): string {
  const number = error instanceof Error && "errno" in error ? error.errno : undefined;
  const [, text] = (typeof number === "number" && getSystemErrorMap().get(number)) || [];
  return text ?? toMessage(error);
}
