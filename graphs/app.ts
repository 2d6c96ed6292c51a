import { Hono } from "hono";
import { findRefusal } from "./guard.ts";

/** Guards what the server answers without asking who calls, such as `/info`. */
export const app = new Hono().use("*", async (context, next) => {
  const refusal = findRefusal(context.req.raw.headers);
  if (refusal !== undefined) return context.text(refusal, 403);
  return next();
});
