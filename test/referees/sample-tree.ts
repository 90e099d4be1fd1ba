/**
 * The smallest tree with one skill of each difficult shape. They are in the root, below folders that are not skills, inside another skill,
 * and with a binary file.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export const SAMPLE_SKILLS = {
  plain: 'skill://code-review/SKILL.md',
  prefixed: 'skill://acme/billing/refunds/SKILL.md',
  outer: 'skill://release/SKILL.md',
  nested: 'skill://release/steps/changelog/SKILL.md',
  binary: 'skill://brand/SKILL.md',
} as const;

/** The URIs that each entry must list, so that a file left out cannot pass as "everything listed is verified". */
export const SAMPLE_FILES: Readonly<Record<keyof typeof SAMPLE_SKILLS, readonly string[]>> = {
  plain: ['skill://code-review/SKILL.md', 'skill://code-review/references/rules.md'],
  prefixed: ['skill://acme/billing/refunds/SKILL.md', 'skill://acme/billing/refunds/scripts/refund.sh'],
  outer: ['skill://release/SKILL.md', 'skill://release/steps/changelog/SKILL.md'],
  nested: ['skill://release/steps/changelog/SKILL.md'],
  binary: ['skill://brand/SKILL.md', 'skill://brand/assets/logo.bin'],
};

export async function writeSampleTree(root: string): Promise<void> {
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'code-review/SKILL.md': skillText('code-review', 'Reviews a change against the house rules.'),
    'code-review/references/rules.md': '# Rules\n\nShort functions – clear names.\n',
    'acme/billing/refunds/SKILL.md': skillText('refunds', 'Refunds an order.'),
    'acme/billing/refunds/scripts/refund.sh': '#!/bin/sh\necho "refund $1"\n',
    'release/SKILL.md': skillText('release', 'Makes a release.'),
    'release/steps/changelog/SKILL.md': skillText('changelog', 'Writes the changelog of a release.'),
    'brand/SKILL.md': skillText('brand', 'Where the logo goes.'),
    'brand/assets/logo.bin': Uint8Array.from({ length: 4096 }, (_value, index) => (index * 37) % 256),
  };
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, ...path.split('/'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

function skillText(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\n${description}\n`;
}
