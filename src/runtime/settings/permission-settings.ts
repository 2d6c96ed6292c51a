import type { AskMode } from "../../permissions/decide.ts";
import type { Settings } from "../settings.ts";
import type { SettingsFile } from "./settings-file.ts";

/**
 * The rules of both files. A deny and an ask from anywhere count; an allow only from where a person can be held to
 * it: what they wrote for all projects, what they added for this one, and a project that they trust.
 */
export function mergePermissions(
  mode: AskMode,
  person: SettingsFile,
  own: { settings: SettingsFile; project: string; trusted: boolean },
): Settings["permissions"] {
  const both = (key: "ask" | "deny") => [
    ...(person.permissions?.[key] ?? []),
    ...(own.settings.permissions?.[key] ?? []),
  ];
  return {
    deny: both("deny"),
    ask: both("ask"),
    allow: [
      ...(person.permissions?.allow ?? []),
      ...(person.projects?.[own.project]?.permissions?.allow ?? []),
      ...(own.trusted ? (own.settings.permissions?.allow ?? []) : []),
    ],
    mode,
    restrict: person.skills?.restrict === true || own.settings.skills?.restrict === true,
  };
}
