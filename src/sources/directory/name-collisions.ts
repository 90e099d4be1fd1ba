/** Drops names that a case-insensitive or normalizing disk cannot distinguish, except an exact `SKILL.md`. */
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
  const distinct: Child[] = [];
  for (const group of groupByFold(children).values()) {
    const [first] = group;
    if (group.length === 1 && first !== undefined) {
      distinct.push(first);
      continue;
    }
    const exact = group.find((child) => child === skill && child.name === skillFileName);
    if (exact !== undefined) distinct.push(exact);
    const names = group.map((child) => `"${child.diskName}"`).join(' and ');
    for (const child of group) {
      if (child === exact) continue;
      const message = `${names} differ only in case or Unicode form, so "${child.diskName}" is not served`;
      findings.push(finding('file-names-collide', message, { file: below(shown, child.diskName) }));
    }
  }
  return distinct;
}

/** A few names are compared pairwise, many are counted. */
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
