import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";

/**
 * A chat model without latency: it asks for the same tool call until the person's message has `callsATurn`
 * results, then it answers. `call` may be a function of the count of model calls. What it was sent is kept by reference and turned into a request only when asked for,
 * so that no contender pays for it.
 */
export class ScriptedModel extends BaseChatModel {
  count = 0;
  first;

  constructor(call, callsATurn) {
    super({});
    this.call = call;
    this.callsATurn = callsATurn;
  }

  _llmType() {
    return "scripted";
  }

  bindTools(tools) {
    return this.withConfig({ tools });
  }

  async _generate(messages, options) {
    this.count += 1;
    this.first ??= { messages: [...messages], tools: options.tools ?? [] };
    const message = this.nextMessage(countResults(messages));
    return { generations: [{ text: message.text, message }], llmOutput: {} };
  }

  nextMessage(results) {
    if (results >= this.callsATurn) return new AIMessage({ id: `answer-${this.count}`, content: "Done." });
    const wanted = typeof this.call === "function" ? this.call(this.count) : this.call;
    const call = { ...wanted, id: `call-${this.count}`, type: "tool_call" };
    return new AIMessage({ id: `answer-${this.count}`, content: "", tool_calls: [call] });
  }

  /** Characters of the first request's messages and tools, as a chat-completions request has them. */
  measureFirstRequest() {
    const messages = JSON.stringify(this.first.messages.map(toWireMessage)).length;
    const tools = JSON.stringify(this.first.tools.map((tool) => convertToOpenAITool(tool))).length;
    return { messages, tools, total: messages + tools, toolCount: this.first.tools.length };
  }
}

function countResults(messages) {
  const last = messages.findLastIndex((message) => message.type === "human");
  return messages.slice(last + 1).filter((message) => message.type === "tool").length;
}

function toWireMessage({ type, content, tool_calls: calls, tool_call_id: id }) {
  const role = { human: "user", ai: "assistant" }[type] ?? type;
  const wireCalls = calls?.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));
  return {
    role,
    content,
    ...(wireCalls?.length > 0 ? { tool_calls: wireCalls } : {}),
    ...(type === "tool" ? { tool_call_id: id } : {}),
  };
}
