import { describe, expect, it } from "vitest";
import { readReply } from "../../src/graph/review/reply.ts";
import { type ReviewRequest, toReviewRequest } from "../../src/graph/review/request.ts";
import type { PendingCall, State } from "../../src/graph/state.ts";
import { createToolbox, parseInput } from "../../src/tools/toolbox.ts";

const command: PendingCall = {
  id: "call_1",
  tool: "Bash",
  input: { command: "rm -r old", timeout_ms: 5000 },
  status: "ask",
  reason: 'no rule covers "rm -r old"',
};
const write: PendingCall = {
  ...command,
  id: "call_2",
  tool: "Write",
  input: { path: "a.txt", content: "x" },
};
const question: PendingCall = {
  ...command,
  id: "call_3",
  tool: "AskUser",
  input: { question: "Which folder?" },
  status: "question",
};
const unknown: PendingCall = { ...command, id: "call_4", status: "unknown", life: "life-1" };

function ask(calls: PendingCall[], wanted: State["wanted"] = []): ReviewRequest {
  const request = toReviewRequest({ calls, wanted, active: [], reviewErrors: [] });
  // What a client sees has been through the wire.
  return JSON.parse(JSON.stringify(request)) as ReviewRequest;
}

const consent = ask(
  [],
  [{ name: "tidy", arguments: "inbox", chosenBy: "model", consent: "it is not trusted" }],
);
const offering: PendingCall = {
  ...command,
  id: "call_5",
  input: { command: "npm test > out\u202e.txt" },
  writes: ["out<U+202E>.txt"],
  offered: ["Bash(npm test:*)"],
};
const requests: [string, ReviewRequest][] = [
  ["a call", ask([command])],
  ["a call that offers a rule", ask([offering])],
  ["two calls", ask([command, write])],
  ["a question", ask([question])],
  ["a call whose end is unknown", ask([unknown])],
  ["a skill to load", consent],
];

/** What agent-chat-ui makes of an interrupt: its cards, one an action; undefined when it shows raw JSON only. */
function openInChat(value: unknown) {
  const { action_requests: actions, review_configs: configs } = value as Record<string, unknown>;
  if (!isFilledList(actions) || !isFilledList(configs)) return undefined;
  const isReadable =
    actions.every(({ name, args }) => typeof name === "string" && isObject(args)) &&
    configs.every(
      (config) => typeof config.action_name === "string" && Array.isArray(config.allowed_decisions),
    );
  if (!isReadable) return undefined;
  return actions.map((action) => {
    const config = configs.find(({ action_name }) => action_name === action.name) ?? configs[0];
    return { ...action, allowed: config?.allowed_decisions as string[] } as Card;
  });
}

/** What Agent Inbox makes of it: the first action only, with its arguments under another name. */
function openInInbox(value: unknown) {
  const { action_requests: actions, review_configs: configs } = value as Record<string, unknown>;
  if (!isFilledList(actions) || !isFilledList(configs)) return undefined;
  const allowed = configs[0]?.allowed_decisions as string[];
  return {
    action: {
      action: actions[0]?.name as string,
      args: (actions[0]?.arguments ?? {}) as Record<string, unknown>,
    },
    canAccept: allowed.includes("approve"),
    canEdit: allowed.includes("edit"),
    canRespond: allowed.includes("reject"),
    description: actions[0]?.description,
  };
}

interface Card {
  name: string;
  args: Record<string, unknown>;
  description: string;
  allowed: string[];
}

function isFilledList(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

describe("agent-chat-ui", () => {
  it.each(requests)("shows %s as cards with a title, fields and buttons", (_name, request) => {
    const cards = openInChat(request);
    expect(cards).toHaveLength(request.items.length);
    for (const [index, card] of cards?.entries() ?? []) {
      const item = request.items[index];
      expect(card).toMatchObject({ name: item?.name, args: item?.args, description: item?.description });
      expect(card.allowed).toEqual(item?.allowed);
      expect(card.allowed).toContain("reject");
    }
  });

  it("a payload without both lists is raw JSON to it, so the check can fail", () => {
    expect(openInChat({ action_requests: [{ name: "Bash" }], review_configs: [{}] })).toBeUndefined();
    expect(openInChat({ items: requests[0]?.[1].items })).toBeUndefined();
  });

  const { items } = ask([command]);
  it.each([
    ["Approve", { type: "approve" }, { type: "approve" }],
    ["Submit rejection", { type: "reject", message: "Keep it." }, { type: "reject", message: "Keep it." }],
    [
      "Submit of a changed field, which comes as text",
      { type: "edit", edited_action: { name: "Bash", args: { command: "ls", timeout_ms: "6000" } } },
      { type: "edit", args: { command: "ls", timeout_ms: "6000" } },
    ],
  ])("%s is read", (_button, decision, read) => {
    expect(readReply({ decisions: [decision] }, items)).toEqual({ decisions: [read] });
  });

  it("text where the tool wants a number fits it", () => {
    const bash = createToolbox([]).get("Bash");
    const parsed = bash && parseInput(bash, { command: "ls", timeout_ms: "6000" });
    expect(parsed).toMatchObject({ ok: true, input: { timeout_ms: 6000 } });
  });

  it("Approve all, and all decisions at once, are read in the order of the cards", () => {
    const both = ask([command, write]).items;
    expect(readReply({ decisions: [{ type: "approve" }, { type: "approve" }] }, both)).toEqual({
      decisions: [{ type: "approve" }, { type: "approve" }],
    });
    expect(readReply({ decisions: [{ type: "approve" }, { type: "reject", message: "No." }] }, both)).toEqual(
      {
        decisions: [{ type: "approve" }, { type: "reject", message: "No." }],
      },
    );
  });

  it("the reason of a rejection, its only way to answer a question, reaches the model", () => {
    const asked = ask([question]).items;
    expect(readReply({ decisions: [{ type: "reject", message: "The inbox." }] }, asked)).toEqual({
      decisions: [{ type: "reject", message: "The inbox." }],
    });
  });
});

describe("Agent Inbox", () => {
  it.each(requests)("shows %s with what it is about and a button", (_name, request) => {
    const opened = openInInbox(request);
    const [item] = request.items;
    expect(opened?.action).toEqual({ action: item?.name, args: item?.args });
    expect(opened?.description).toBe(item?.description);
    expect(opened?.canAccept).toBe(item?.allowed.includes("approve"));
    expect(opened?.canRespond).toBe(true);
  });

  const request = ask([command]);
  const action = openInInbox(request)?.action;
  it.each([
    ["Accept", { type: "accept", args: action }, { type: "approve" }],
    ["Accept without arguments", { type: "accept", args: null }, { type: "approve" }],
    ["Ignore", { type: "ignore", args: null }, { type: "reject" }],
    [
      "Edit",
      { type: "edit", args: { ...action, args: { command: "ls", timeout_ms: "5000" } } },
      { type: "edit", args: { command: "ls", timeout_ms: "5000" } },
    ],
  ])("%s is read from its list of one", (_button, reply, read) => {
    expect(readReply([reply], request.items)).toEqual({ decisions: [read] });
  });

  it("a response answers a question", () => {
    expect(readReply([{ type: "response", args: "The inbox." }], ask([question]).items)).toEqual({
      decisions: [{ type: "respond", value: "The inbox." }],
    });
  });

  it("of two actions its answer settles the first, which is the one that it showed", () => {
    const both = ask([command, write]).items;
    expect(readReply([{ type: "accept", args: action }], both)).toEqual({ decisions: [{ type: "approve" }] });
  });
});

describe("LangChain's middleware, in camel case", () => {
  it.each(requests)("%s has an action and a configuration by its name for each item", (_name, request) => {
    const { actionRequests, reviewConfigs } = request;
    for (const [index, { name, args, description }] of actionRequests.entries()) {
      const item = request.items[index];
      expect({ name, args, description }).toEqual({
        name: item?.name,
        args: item?.args,
        description: item?.description,
      });
      expect(reviewConfigs[index]).toMatchObject({ actionName: name, allowedDecisions: item?.allowed });
    }
  });

  it("its answers to several actions are read, each for its own", () => {
    const decisions = [
      { type: "edit", editedAction: { name: "Bash", args: { command: "ls" } } },
      { type: "reject", message: "Not there." },
    ];
    expect(readReply({ decisions }, ask([command, write]).items)).toEqual({
      decisions: [
        { type: "edit", args: { command: "ls" } },
        { type: "reject", message: "Not there." },
      ],
    });
  });
});

describe("a call that offers a rule, to clients that know nothing of it", () => {
  const request = ask([offering, write]);
  const [item] = request.items;

  it("the description says the command with all that is hidden, what it writes, why, and what would be added", () => {
    const description = openInInbox(request)?.description;
    expect(openInChat(request)?.[0]?.description).toBe(description);
    expect(request.actionRequests[0]?.description).toBe(description);
    expect(String(description).split("\n")).toEqual([
      item?.reason,
      "With what the eye does not see, it is: npm test > out<U+202E>.txt",
      "Writes: out<U+202E>.txt",
      "Approve always would add to your settings for this project: Bash(npm test:*)",
    ]);
  });

  it("the buttons are those that they know", () => {
    expect(request.review_configs.map(({ allowed_decisions: allowed }) => allowed)).toEqual([
      ["approve", "edit", "reject"],
      ["approve", "edit", "reject"],
    ]);
  });

  it.each([
    [
      "ours",
      {
        decisions: [
          { type: "approve", always: true },
          { type: "reject", message: "No." },
        ],
      },
    ],
    ["a kind of its own", { decisions: [{ type: "approve_always" }, { type: "reject", message: "No." }] }],
    ["camel case", { decisions: [{ type: "approveAlways" }, { type: "reject", message: "No." }] }],
    [
      "a list",
      [
        { type: "accept", args: null, always: true },
        { type: "response", args: "No." },
      ],
    ],
    ["by id", { call_5: "always", call_2: { type: "reject", message: "No." } }],
    ["a form's text", '{"decisions":[{"type":"always"},{"type":"reject","message":"No."}]}'],
    [
      "Studio's",
      { resume: { decisions: [{ decision: "always" }, { decision: "reject", feedback: "No." }] } },
    ],
  ])("one for ever and one refused, as %s, is each its own", (_name, reply) => {
    expect(readReply(reply, request.items)).toEqual({
      decisions: [
        { type: "approve", always: true },
        { type: "reject", message: "No." },
      ],
    });
  });

  it("the same state makes the same request, whatever the rules are now", () => {
    expect(ask([offering, write])).toEqual(request);
    expect(ask([{ ...offering, reason: "another" }, write]).id).toBe(request.id);
  });
});

it("both casings say the same", () => {
  for (const [, request] of requests) {
    expect(request.action_requests).toEqual(request.actionRequests);
    expect(
      request.review_configs.map(({ action_name, allowed_decisions }) => [action_name, allowed_decisions]),
    ).toEqual(
      request.reviewConfigs.map(({ actionName, allowedDecisions }) => [actionName, allowedDecisions]),
    );
  }
});
