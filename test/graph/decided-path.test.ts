import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const CONFIG = "[core]\n\tbare = false\n";
const edit = {
  id: "e1",
  name: "Edit",
  arguments: { path: "docs/a.md", old_string: "bare = false", new_string: "bare = true" },
};
const toolText = (messages: { content?: unknown }[]) => JSON.stringify(messages.at(-1)?.content);

/** Puts a link in the place of a file when the mark of the call that is about to run is kept. */
class SwappingSaver extends MemorySaver {
  private readonly swap: () => void;
  private isSwapped = false;

  constructor(swap: () => void) {
    super();
    this.swap = swap;
  }

  override async putWrites(...args: Parameters<MemorySaver["putWrites"]>): Promise<void> {
    const isMarked = args[1].some(
      ([channel, value]) => channel === "calls" && JSON.stringify(value).includes('"life"'),
    );
    if (isMarked && !this.isSwapped) {
      this.isSwapped = true;
      this.swap();
    }
    return super.putWrites(...args);
  }
}

function createPlace(): Workspace {
  return createWorkspace({
    "docs/a.md": "bare = false\n",
    "docs/b.md": "bare = false\n",
    ".git/config": CONFIG,
  });
}

function link(workspace: Workspace, target: string): void {
  rmSync(join(workspace.folder, "docs/a.md"));
  symlinkSync(target, join(workspace.folder, "docs/a.md"));
}

describe("a file that becomes a link between the decision and the writing", () => {
  it("C8: leads an allowed call nowhere that would have been asked about", async () => {
    const workspace = createPlace();
    const checkpointer = new SwappingSaver(() => link(workspace, "../.git/config"));
    const permissions = { allow: ["Edit(docs/**)"] };
    const { agent, server } = await createScriptedAgent(workspace, [{ calls: [edit] }, { text: "Done." }], {
      permissions,
      checkpointer,
    });
    const { end } = await send(agent, "go");
    expect(end.status).toBe("finished");
    expect(workspace.read(".git/config")).toBe(CONFIG);
    expect(toolText(server.requests.at(-1)?.body.messages ?? [])).toContain("protected place");
  });

  it("leads an approved call nowhere that the person was not told of", async () => {
    const workspace = createPlace();
    const checkpointer = new SwappingSaver(() => link(workspace, "b.md"));
    const { agent, server } = await createScriptedAgent(workspace, [{ calls: [edit] }, { text: "Done." }], {
      checkpointer,
    });
    const asked = await send(agent, "go");
    expect(asked.end.status).toBe("waiting");
    const { end } = await answer(agent, asked.end.thread, { reply: true });
    expect(end.status).toBe("finished");
    expect(workspace.read("docs/b.md")).toBe("bare = false\n");
    expect(toolText(server.requests.at(-1)?.body.messages ?? [])).toContain("Not carried out");
  });

  it("is written where nothing changed", async () => {
    const workspace = createPlace();
    const { agent } = await createScriptedAgent(workspace, [{ calls: [edit] }, { text: "Done." }], {
      permissions: { allow: ["Edit(docs/**)"] },
      checkpointer: new SwappingSaver(() => undefined),
    });
    await send(agent, "go");
    expect(workspace.read("docs/a.md")).toBe("bare = true\n");
  });
});
