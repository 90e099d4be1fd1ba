/** Of names that a case-insensitive or normalising disk cannot keep apart none is published, except an exact `SKILL.md`. */
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import type { Child } from './folder-entry.ts';
import { below } from './folder-node.ts';

export function withoutCollisions(
  children: readonly Child[],
  skill: Child | undefined,
  shown: string,
  findings: Finding[],
): readonly Child[] {
  if (areApart(children)) return children;
  const kept: Child[] = [];
  for (const group of groupByFold(children).values()) {
    const [first] = group;
    if (group.length === 1 && first !== undefined) {
      kept.push(first);
      continue;
    }
    const exact = group.find((child) => child === skill && child.name === skillFileName);
    if (exact !== undefined) kept.push(exact);
    const names = group.map((child) => `"${child.diskName}"`).join(' and ');
    for (const child of group) {
      if (child === exact) continue;
      const message = `${names} differ only in case or Unicode form, so "${child.diskName}" is not served`;
      findings.push(finding('file-names-collide', message, { file: below(shown, child.diskName) }));
    }
  }
  return kept;
}

/** Few names are compared with each other, many are counted. */
function areApart(children: readonly Child[]): boolean {
  if (children.length > 8) return new Set(children.map(({ fold }) => fold)).size === children.length;
  for (const [index, { fold }] of children.entries())
    for (let other = 0; other < index; other++) if (children[other]?.fold === fold) return false;
  return true;
}

function groupByFold(children: readonly Child[]): Map<string, Child[]> {
  const groups = new Map<string, Child[]>();
  for (const child of children) {
    const group = groups.get(child.fold);
    if (group === undefined) groups.set(child.fold, [child]);
    else group.push(child);
  }
  return groups;
}
