import { expect, it } from "vitest";
import { isLost, isPassing } from "../../../src/checkpoint/postgres/faults.ts";

const coded = (code: string) => Object.assign(new Error("as it was told"), { code });

it.each(["08006", "57P01", "57P02", "57P03", "25P03", "ECONNREFUSED", "ECONNRESET", "EPIPE", "EAI_AGAIN"])(
  "%s is a connection that was lost, and may pass",
  (code) => expect([isLost(coded(code)), isPassing(coded(code))]).toEqual([true, true]),
);

it.each(["40001", "40P01", "53300"])("%s may pass on a connection that is whole", (code) =>
  expect([isLost(coded(code)), isPassing(coded(code))]).toEqual([false, true]),
);

it.each(["23505", "55P03", "57P05", "28P01", "ENOTFOUND"])("%s does not pass by itself", (code) =>
  expect([isLost(coded(code)), isPassing(coded(code))]).toEqual([false, false]),
);
