/** What one command may touch. Paths are real and absolute. */
export interface SandboxPlace {
  workspace: string;
  /** The folder to start in, inside the workspace. */
  cwd: string;
  /** Folders that are seen and cannot be written, such as those of skills, also inside the workspace. */
  readable: string[];
  environment: Record<string, string>;
  /** True when a person agreed to this very command: then the workspace's protected places and secrets are open. */
  approved: boolean;
}

/** A way to confine commands that was tried and works. */
export interface Sandbox {
  /** The program that confines, for messages. */
  program: string;
  /** Whether commands reach the network. */
  network: boolean;
  /** The words to run in place of a program and its arguments. */
  wrap: (words: string[], place: SandboxPlace) => string[];
  /**
   * Undoes, when a command has ended, what could not be prevented: files that would make git read its settings from
   * elsewhere. Takes the place that its words were wrapped with; gives the paths that were removed.
   */
  settle?: (place: SandboxPlace) => string[];
}
