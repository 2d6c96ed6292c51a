// One reading of all skills by one contender in a process of its own. Reads a job as JSON, prints the result as JSON.
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const job = JSON.parse(process.argv[2]);
const contenders = {
  cold: loadOurs,
  warm: loadOurs,
  deepagents: loadDeepAgents,
  listSkills: loadListSkills,
  "skills-ref": loadSkillsRef,
  floor: loadFloor,
};

const read = await contenders[job.contender]();
globalThis.gc();
const { rss } = process.memoryUsage();
const begun = performance.now();
const before = process.cpuUsage();
const count = await read();
const ms = performance.now() - begun;
const { user, system } = process.cpuUsage(before);
// A contender that found less must not look fast.
if (count !== job.count) throw new Error(`${job.contender} found ${count} of ${job.count} skills.`);
const grownBytes = process.memoryUsage().rss - rss;
process.stdout.write(`\n${JSON.stringify({ ms, cpuMs: (user + system) / 1_000, grownBytes })}\n`);

async function loadOurs() {
  const { loadCatalog } = await import(pathToFileURL(job.catalog).href);
  const roots = job.roots.map((path) => ({ path, tier: "flag", trusted: true }));
  return () => loadCatalog(roots, undefined, { cacheFile: job.cacheFile, program: "bench" }).skills.length;
}

/** The loader that its agents use. */
async function loadDeepAgents() {
  const { createSkillsMiddleware, FilesystemBackend } = await import("deepagents");
  const { beforeModel } = createSkillsMiddleware({
    backend: new FilesystemBackend({ rootDir: job.base, virtualMode: true }),
    sources: job.roots.map((root) => `${root.slice(job.base.length)}/`),
  });
  return async () => (await beforeModel({ messages: [] })).skillsMetadata.length;
}

/** The loader that it offers to programs on a disk. */
async function loadListSkills() {
  const { listSkills } = await import("deepagents");
  return () => job.roots.reduce((sum, projectSkillsDir) => sum + listSkills({ projectSkillsDir }).length, 0);
}

async function loadSkillsRef() {
  const { readProperties, validate } = await import("skills-ref");
  return async () => {
    let found = 0;
    for (const folder of job.roots.flatMap((root) => readdirSync(root).map((name) => join(root, name)))) {
      const properties = await readProperties(folder);
      if ((await validate(folder)).length === 0 && properties.name !== "") found += 1;
    }
    return found;
  };
}

async function loadFloor() {
  return () => {
    const buffer = Buffer.alloc(4_096);
    let found = 0;
    for (const root of job.roots) {
      for (const name of readdirSync(root)) {
        const descriptor = openSync(join(root, name, "SKILL.md"), "r");
        if (readSync(descriptor, buffer, 0, buffer.length, 0) > 0) found += 1;
        closeSync(descriptor);
      }
    }
    return found;
  };
}
