/**
 * The files of a new skill, by their path in its folder. They pass `skillgraph lint` and run with the offline model.
 *
 * @param options.wizard - Whether the skill works in stages.
 */
export function createSkeleton(name: string, options: { wizard: boolean }): Map<string, string> {
  if (!options.wizard) return new Map([["SKILL.md", toSkill(name)]]);
  return new Map([
    ["SKILL.md", toWizard(name)],
    ["stages/01-look.md", LOOK],
    ["stages/02-report.md", REPORT],
  ]);
}

function toSkill(name: string): string {
  return `---
name: ${toScalar(name)}
description: Looks at the working folder and says what is in it. Use when someone asks for ${name}.
allowed-tools: Bash(ls:*)
---

# ${toTitle(name)}

This skill works as it stands. Replace each part with your own, the description first: the model chooses by it.

## 1. Look

A block marked \`run\` is carried out as it stands. What \`allowed-tools\` names needs no approval.

\`\`\`bash run
ls -l
\`\`\`

## 2. Answer

Say in two sentences what the folder holds. Change nothing.
`;
}

function toWizard(name: string): string {
  return `---
name: ${toScalar(name)}
description: Looks at the working folder and reports on it, in two stages. Use when someone asks for ${name}.
---

# ${toTitle(name)}

This skill works as it stands. Replace each part with your own, the description first: the model chooses by it.

What stands here holds in every stage. Each file in \`stages\` is one stage, in the order of the numbers. A stage begins when a person approved the result of the one before.
`;
}

const LOOK = `---
title: Look
allowed-tools: Bash(ls:*) Bash(printf:*)
output:
  type: object
  required: [title]
  properties:
    title:
      type: string
      minLength: 1
      description: The title of the report.
---

Look at the working folder and choose a title for the report. The JSON that is printed is the result of this stage; a person approves or changes it.

\`\`\`bash run
ls -l
printf '{"title": "What is in this folder"}\\n'
\`\`\`
`;

const REPORT = `---
title: Report
gate: none
allowed-tools: Bash(printf:*)
---

Report what the folder holds, under the title that was approved. The name in braces stands for what the stage \`look\` handed over.

\`\`\`bash run
printf '%s\\n' {look.title}
\`\`\`
`;

/** `sort-mail` → `Sort mail`. */
function toTitle(name: string): string {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A name that YAML would take for something else stands in quotes. */
function toScalar(name: string): string {
  return /^(?:\d.*|true|false|null|yes|no|on|off|y|n)$/.test(name) ? JSON.stringify(name) : name;
}
