export { type ErrorCode, SkillgraphError } from "./errors.ts";
export type { GraphEvent } from "./graph/events.ts";
export type { ReviewRequest } from "./graph/review/request.ts";
export type { DecisionType, ReviewDecision, ReviewItem, ReviewReply } from "./graph/review/review-item.ts";
export type { SkillRecord } from "./graph/skill-state.ts";
export type { AuditRecord, Progress } from "./graph/state.ts";
export {
  closeAgent,
  createSkillAgent,
  readModel,
  type SkillAgent,
  type SkillAgentOptions,
} from "./runtime/agent.ts";
export { openCatalog } from "./runtime/catalog.ts";
export { loadSettings, type Settings, type SettingsOptions } from "./runtime/settings.ts";
export type { RunEnd, RuntimeEvent } from "./runtime/threads/events.ts";
export { forkThread } from "./runtime/threads/fork.ts";
export { type HistoryEntry, readHistory, unloadSkill } from "./runtime/threads/history.ts";
export { findThread, listThreads, type ThreadSummary } from "./runtime/threads/list-threads.ts";
export {
  type PrunedThread,
  type PruneOptions,
  type PruneReport,
  pruneThreads,
} from "./runtime/threads/prune.ts";
export type { ResumeOptions } from "./runtime/threads/resume-input.ts";
export type { RunContext, RunOptions } from "./runtime/threads/run.ts";
export type { ThreadFacts, ThreadMessage, ThreadStatus } from "./runtime/threads/thread-facts.ts";
export {
  deleteThread,
  readThread,
  resumeThread,
  type StartOptions,
  startThread,
} from "./runtime/threads/threads.ts";
export type { Catalog } from "./skills/catalog.ts";
export type { Diagnostic, Skill, SkillRoot, SkillTier } from "./skills/schema.ts";
