import type { Tool } from "../../tools/tool.ts";
import { type Bench, decidePendingCall } from "../judge.ts";

/**
 * True for a call that a person's word is enough for when these tools are taken as listed: whatever else asks, a
 * protected place, a secret, a command that cannot be read, still asks then.
 */
export function isAllowedWith(names: string[], tool: Tool, input: unknown, bench: Bench): boolean {
  const { policy } = bench.parts;
  const allow = [...policy.allow, ...names.map((name) => ({ tool: name, text: name }))];
  const listed = { ...bench, parts: { ...bench.parts, policy: { ...policy, allow } } };
  return decidePendingCall(tool, input, listed, true).verdict === "allow";
}
