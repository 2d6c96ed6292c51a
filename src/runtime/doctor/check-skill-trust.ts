import type { Catalog } from "../../skills/catalog.ts";
import type { Settings } from "../settings.ts";
import { createTrustDesk } from "../trust/skill-trust.ts";
import type { Check } from "./check.ts";

/** Skills that are told one by one. */
const MAX_NAMED = 5;

/** What the trust in a project comes to: its skills count only while they are what was recorded. */
export function checkSkillTrust(settings: Settings, catalog: Catalog): Check {
  const name = "trust";
  if (settings.recordedRoots.length === 0) {
    return { name, status: "ok", text: "trusted: its settings, skills and .env count in full" };
  }
  const { check } = createTrustDesk(settings);
  const skills = [...catalog.files.values()]
    .flatMap(({ skill }) => skill ?? [])
    .filter(({ source }) => settings.recordedRoots.includes(source));
  const others = skills.flatMap((skill) => {
    const { trusted, reason } = check(skill);
    return trusted ? [] : [`${skill.name}: ${reason}`];
  });
  const base = "trusted: its settings and .env count in full";
  if (others.length === 0) {
    return { name, status: "ok", text: `${base}, and its skills (${skills.length}) as they were recorded` };
  }
  const rest = others.length > MAX_NAMED ? `, and ${others.length - MAX_NAMED} more` : "";
  const list = `${others.slice(0, MAX_NAMED).join("; ")}${rest}`;
  const text = `${base}. ${others.length} of its ${skills.length} skills are not trusted as they are now: ${list}. See "skillgraph trust".`;
  return { name, status: "warning", text };
}
