import type {
  CatalogFlags,
  ChatFlags,
  CommonFlags,
  DemoFlags,
  ForkFlags,
  GraphFlags,
  LintFlags,
  NewFlags,
  PruneFlags,
  ResumeFlags,
  RunFlags,
  ShowThreadFlags,
  ThreadsFlags,
  TrustFlags,
} from "./flags.ts";

/** What each command does; a promise of the exit code. */
export interface Commands {
  run: (words: string[], flags: RunFlags) => Promise<number>;
  resume: (thread: string | undefined, flags: ResumeFlags) => Promise<number>;
  chat: (flags: ChatFlags) => Promise<number>;
  listThreads: (flags: ThreadsFlags) => Promise<number>;
  showThread: (thread: string, flags: ShowThreadFlags) => Promise<number>;
  showHistory: (thread: string, flags: ThreadsFlags) => Promise<number>;
  removeThread: (thread: string, flags: ThreadsFlags) => Promise<number>;
  pruneThreads: (flags: PruneFlags) => Promise<number>;
  forkThread: (thread: string, flags: ForkFlags) => Promise<number>;
  list: (flags: CatalogFlags) => Promise<number>;
  show: (name: string, flags: CatalogFlags) => Promise<number>;
  why: (name: string, flags: CatalogFlags) => Promise<number>;
  trust: (folder: string | undefined, flags: TrustFlags) => Promise<number>;
  doctor: (flags: CommonFlags) => Promise<number>;
  graph: (skill: string | undefined, flags: GraphFlags) => Promise<number>;
  lint: (paths: string[], flags: LintFlags) => Promise<number>;
  new: (name: string, flags: NewFlags) => Promise<number>;
  demo: (flags: DemoFlags) => Promise<number>;
}
