/** Reports on plain folders in the form of those on origins of a gateway. One source reads all folders, so calls are not counted. */
import type { Snapshot } from '../catalog/snapshot.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import { answeredStanding, type UpstreamReport } from '../transforms/upstream-report.ts';

const uncounted = { ok: 0, failed: 0, refused: 0, ms: 0 };

/** @param since when the server started, ISO 8601 */
export function folderReports(
  roots: readonly DirectoryRoot[],
  snapshot: Snapshot | undefined,
  since: string,
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
      since,
      skills: mine.length,
      refused: refused.length,
      breaker: 'closed',
      calls: uncounted,
      mismatches: 0,
    };
  });
}
