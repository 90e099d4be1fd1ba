/** Remarks for the operator about names and addresses of skills in older dialects. */
import type { Snapshot } from '../../../catalog/snapshot.ts';
import { skillAt } from './find-alias.ts';
import { skillNames } from './names.ts';
import type { DialectSettings } from './served-dialects.ts';

/** Addresses of documents, unless a skill has them. */
const documents = ['index', 'prompt-xml', 'lookup'] as const;

/** One sentence each, without a final period. */
export function aliasRemarks(snapshot: Snapshot, { served, fallback, usage }: DialectSettings): readonly string[] {
  const remarks: string[] = [];
  const byName = (['skilljack', 'skills-over-mcp', 'skilljack-tools', 'sep-2076'] as const).some((id) =>
    served.has(id),
  );
  const { remark } = byName || fallback.length > 0 ? skillNames(snapshot) : {};
  if (remark !== undefined) remarks.push(remark);
  if (served.has('skills-over-mcp'))
    for (const path of documents)
      if (skillAt(snapshot, [path]) !== undefined)
        remarks.push(`skill://${path} is a skill and hides the document of skills-over-mcp`);
  if (usage !== undefined && served.has('nimblebrain') && !knows(snapshot, usage.skill))
    remarks.push(`skill://${usage.label}/usage cannot be read: no skill "${usage.skill}"`);
  return remarks;
}

function knows(snapshot: Snapshot, skill: string): boolean {
  return skillAt(snapshot, skill.split('/')) !== undefined || skillNames(snapshot).byName.has(skill);
}
