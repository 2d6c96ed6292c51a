import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { describeStores } from "./stores.ts";

describeStores(({ name, open }) => {
  const initializer = {
    checkpointerName: name,
    createCheckpointer: async (): Promise<BaseCheckpointSaver> => (await open()).saver,
  };

  validate(initializer);
  deltaChannelHistoryTests(initializer);
});
