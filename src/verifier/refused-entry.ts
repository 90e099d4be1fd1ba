/** The report about an entry that no host can use. */
import type { RefusedSkill } from '../dialects/skills-extension/decode-entry.ts';
import type { Failure, SkillReport } from './report.ts';
import { requirementRow } from './requirements.ts';

export function refusedReport({ uri, name, faults }: RefusedSkill): SkillReport {
  const shown = uri ?? '(no URI)';
  const failures: Failure[] = faults.map((fault) => ({ ...fault, uri: shown }));
  const tooLarge = faults.every(({ requirement }) => requirement === 'S-35');
  // Where each fault alone is only advised against, together they still leave nothing that could be read.
  if (!tooLarge && !failures.some(({ requirement }) => requirementRow(requirement).level === 'must'))
    failures.push({
      requirement: 'S-22',
      message: 'the entry cannot be used, so its files cannot be read',
      uri: shown,
    });
  return {
    uri: shown,
    name: name ?? '(no name)',
    status: tooLarge ? 'unchecked' : 'failed',
    files: 0,
    bytes: 0,
    failures,
    ...(tooLarge ? { reason: 'it is larger than hosts must accept, and was not read' } : {}),
  };
}
