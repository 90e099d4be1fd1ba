/** How plain folders do, in the words in which origins of a gateway are told of. They are read by one source, so nothing is counted. */
import type { Snapshot } from '../catalog/snapshot.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import { answeredStanding, type UpstreamReport } from '../transforms/upstream-report.ts';

const uncounted = { ok: 0, failed: 0, refused: 0, ms: 0 };
const started = new Date().toISOString();

export function folderReports(
  roots: readonly DirectoryRoot[],
  snapshot: Snapshot | undefined,
): readonly UpstreamReport[] {
  const labels = roots.flatMap(({ label }) => label ?? []);
  return roots.map(({ label, path }): UpstreamReport => {
    const mine = (snapshot?.skills ?? []).filter((skill) => {
      const [first = ''] = skill.path.split('/', 1);
      return label === undefined ? !labels.includes(first) : first === label;
    });
    const findings = (snapshot?.findings ?? []).filter(({ file }) => file?.startsWith(path) === true);
    const refused = findings.filter(({ level, skill }) => level === 'problem' && skill === undefined);
    const faults = refused.map(({ message }) => message);
    return {
      label: label ?? path,
      kind: 'folder',
      ...(snapshot === undefined ? { state: 'pending' } : answeredStanding(mine.length, faults, findings)),
      since: started,
      skills: mine.length,
      refused: refused.length,
      breaker: 'closed',
      calls: uncounted,
      mismatches: 0,
    };
  });
}
