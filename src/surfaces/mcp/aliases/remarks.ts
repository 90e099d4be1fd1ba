/** What an operator should know about the names and addresses that older dialects have for the skills of a snapshot. */
import type { Snapshot } from '../../../catalog/snapshot.ts';
import { limits } from '../../../limits.ts';
import { skillAt } from './find-alias.ts';
import { skillNames } from './names.ts';
import type { DialectSettings } from './served-dialects.ts';

/** Addresses that mean something else where no skill has them. */
const documents = ['index', 'prompt-xml', 'lookup'] as const;

/** One sentence each, without a final period. */
export function aliasRemarks(snapshot: Snapshot, { served, fallback, usage }: DialectSettings): readonly string[] {
  const remarks: string[] = [];
  const byName = (['skilljack', 'skills-over-mcp', 'skilljack-tools', 'sep-2076'] as const).some((id) =>
    served.has(id),
  );
  if (byName || fallback.length > 0) remarks.push(...skillNames(snapshot).remarks);
  if (served.has('skills-over-mcp'))
    for (const path of documents)
      if (skillAt(snapshot, [path]) !== undefined)
        remarks.push(`skill://${path} is the skill of that name, not what skills-over-mcp has there`);
  if (usage !== undefined && served.has('nimblebrain') && !knows(snapshot, usage.skill))
    remarks.push(`skill://${usage.label}/usage cannot be read: there is no skill "${usage.skill}"`);
  const { remarks: most } = limits.dialects;
  const shown = remarks.slice(0, most);
  return remarks.length > most ? [...shown, `${remarks.length - most} more remarks of this kind`] : shown;
}

function knows(snapshot: Snapshot, skill: string): boolean {
  return skillAt(snapshot, skill.split('/')) !== undefined || skillNames(snapshot).byName.has(skill);
}
