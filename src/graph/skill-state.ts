import { z } from "zod";

/** What a stage handed over, once its gate was passed. */
const stageResult = z.object({
  id: z.string(),
  summary: z.string(),
  output: z.unknown().optional(),
  /** What a person filled in at a `form` gate. */
  answer: z.unknown().optional(),
  /** True when a person went back to it, or to one that it depends on: it is shown to nobody any more. */
  stale: z.literal(true).optional(),
});

/** A file that a stage writes, as it was before the first call of the stage that writes it. */
const writtenFile = z.object({
  stage: z.string(),
  /** Below the workspace relative, as a call names it elsewhere. */
  path: z.string(),
  /** `unseen`: the shell computes its name · `more`: stands for all that came after the limit of files. */
  kind: z.enum(["none", "text", "other", "masked", "folder", "outside", "unseen", "more"]),
  /** Of a text, its key in `texts`; of other files, what tells one content from another. */
  mark: z.string().optional(),
  /** In bytes. */
  size: z.number().optional(),
});

/** What a stage changed of a file, from before it to its hand-over. */
const fileChange = z.object({
  path: z.string(),
  /** `mode`: its permission bits alone. */
  what: z.enum(["new", "changed", "removed", "mode", "named"]),
  /** By no call that names it: by a command, or by somebody else at that time. */
  meanwhile: z.literal(true).optional(),
  /** What became of its permission bits: `644 to 755`. */
  fileMode: z.string().optional(),
  /** A patch, shortened. */
  difference: z.string().optional(),
  /** What there is to know beside it, or in its place. */
  note: z.string().optional(),
});

/** How far a wizard has come. Its stages, as they were read, lie in `texts` as JSON, under `digest`. */
const wizardProgress = z.object({
  digest: z.string(),
  /** Id of the message that the current stage's text follows. */
  anchor: z.string(),
  stage: z.string(),
  status: z.enum(["working", "gate", "finished", "stopped"]),
  results: z.array(stageResult),
  /** Completions of the current stage that did not fit, and why. */
  attempts: z.number(),
  failures: z.array(z.string()),
  /** What a person said when they sent the stage back. */
  feedback: z.string().optional(),
  /** What waits at the gate. */
  handed: z.object({ summary: z.string(), output: z.unknown().optional() }).optional(),
  /** Files that its stages write, as each stage found them. */
  written: z.array(writtenFile).optional(),
  /** The workspace before the first command of the current stage, in its so many-th run: its list's key in `texts`. */
  survey: z
    .object({
      run: z.number(),
      key: z.string().optional(),
      /** Why there is no list. */
      fault: z.enum(["too-many", "too-slow"]).optional(),
    })
    .optional(),
  /** What the stage at its gate changed of files, for the person who decides. */
  changes: z.array(fileChange).optional(),
  /**
   * Where work on each stage began, in this order: after the message of this id. Without a stage: where all were
   * complete. Absent until the first step, and in threads from before it was kept.
   */
  runs: z.array(z.object({ stage: z.string().optional(), anchor: z.string() })).optional(),
  /** The stage where it stood, and why a person must say where it goes on; `stage` is the furthest that they may name. */
  displaced: z.object({ stage: z.string(), why: z.string() }).optional(),
});

/** What becomes of a skill whose files changed since it was loaded: the stored text stays, or the new one is read. */
const driftChoice = z.enum(["pin", "refresh"]);

/** How a skill was asked for. `name`: at the beginning of a message · `mention`: within it · the others by a call. */
const way = z.enum(["name", "mention", "preset", "tool", "read", "activate"]);

/** What happened to a skill on this thread, for people who look at it later. */
export const skillRecord = z.object({
  type: z.enum(["loaded", "unloaded", "pinned", "refreshed"]),
  name: z.string(),
  /** Of its text, after what happened. */
  digest: z.string(),
  /** Estimated tokens that it costs in each request from now on; what an unloaded one no longer costs. */
  tokens: z.number(),
  /** Who did it. */
  by: z.enum(["person", "model", "settings"]),
  way: way.optional(),
  version: z.string().optional(),
  /** Files that changed, of a skill that drifted. */
  files: z.array(z.string()).optional(),
});

/** An active skill whose files are no longer those that were loaded, and that waits for a person's choice. */
export const pendingDrift = z.object({
  name: z.string(),
  path: z.string(),
  /** Digest of the files as they are now; empty when the SKILL.md is gone. */
  digest: z.string(),
  /** Relative paths, each with what happened to it: `scripts/go.sh (changed)`. */
  files: z.array(z.string()),
  /** Difference of the instructions, as a patch; shortened when it is long. */
  difference: z.string(),
  /** Why it is asked where nobody chose to be asked. */
  why: z.string().optional(),
  /** Why the new text cannot be read; absent when it can. */
  fault: z.string().optional(),
  /** What the person answered; carried out by `route`. */
  choice: driftChoice.optional(),
});

/** A skill that is in force on this thread. Its text lies in `texts`, under `digest`. */
export const activeSkill = z.object({
  name: z.string(),
  digest: z.string(),
  path: z.string(),
  directory: z.string(),
  arguments: z.string(),
  argumentHint: z.string().optional(),
  chosenBy: z.enum(["person", "model"]),
  /** Entries of `allowed-tools` with the skill's folder filled in; empty for an untrusted skill. */
  allowedTools: z.array(z.string()),
  disallowedTools: z.array(z.string()),
  /** False when it was not trusted as it was loaded: then its stages grant nothing either, whatever came later. */
  trusted: z.boolean().optional(),
  model: z.string().optional(),
  version: z.string().optional(),
  /** Names of its arguments, for `$name` in its text. */
  argumentNames: z.array(z.string()).optional(),
  /** Digest of its folder's files as they were when it was loaded; the list lies in `texts`, under it, as JSON. */
  files: z.string().optional(),
  /** The last other state of its files on disk, and what became of it. */
  drift: z
    .object({
      digest: z.string(),
      choice: driftChoice,
      /** True when a person chose. */
      asked: z.literal(true).optional(),
    })
    .optional(),
  resources: z.object({
    scripts: z.array(z.string()),
    references: z.array(z.string()),
    assets: z.array(z.string()),
    /** Absent in threads from before they were listed. */
    otherFiles: z.array(z.string()).optional(),
    /** How many more there are, beyond those that are listed. */
    more: z.number().optional(),
  }),
  /** Id of the message that its text follows. */
  anchor: z.string(),
  /** Estimated tokens of its text. */
  tokens: z.number(),
  /** Present when it is worked through stage by stage. */
  wizard: wizardProgress.optional(),
});

/** What a person is shown of a skill before they agree to it. */
const consentTerms = z.object({
  /** Of every file of its folder as they were then. */
  digest: z.string(),
  source: z.string(),
  trusted: z.boolean(),
  risk: z.enum(["L0", "L1", "L2"]),
  /** Entries of `allowed-tools`, those of its stages included. */
  asks: z.array(z.string()),
  /** What changed since it was trusted. */
  files: z.array(z.string()),
});

/** A request to load a skill that `route` took and `load-skill` has not carried out yet. */
export const wantedSkill = z.object({
  name: z.string(),
  arguments: z.string(),
  chosenBy: z.enum(["person", "model"]),
  way: way.optional(),
  /** The `Skill` call to answer; absent when a person typed the name. */
  callId: z.string().optional(),
  /** Why a person must agree first; absent when nobody needs to, or somebody did. */
  consent: z.string().optional(),
  /** True when a person agreed. */
  agreed: z.boolean().optional(),
  /** The file that they agreed to. */
  path: z.string().optional(),
  /** What they were shown of it. */
  terms: consentTerms.optional(),
  /** True when a person asked for it as a wizard, also without a mark of its own. */
  asWizard: z.boolean().optional(),
});

export type ActiveSkill = z.infer<typeof activeSkill>;
export type ConsentTerms = z.infer<typeof consentTerms>;
export type WantedSkill = z.infer<typeof wantedSkill>;
export type SkillRecord = z.infer<typeof skillRecord>;
export type PendingDrift = z.infer<typeof pendingDrift>;
export type WrittenFile = z.infer<typeof writtenFile>;
export type FileChange = z.infer<typeof fileChange>;
export type WizardProgress = z.infer<typeof wizardProgress>;
