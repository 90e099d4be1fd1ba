/** Compares installed skills with the lock file: by skill, folder and file. */
import { limits } from '../../limits.ts';
import type { InstallPlace } from '../../sync/install-place.ts';
import { checkInstalled, type InstalledFolder, type InstalledReport } from '../../sync/installed.ts';
import { restoreSkills } from '../../sync/restore-skills.ts';
import { nodeSyncDisk } from '../../sync/sync-disk.ts';
import { recover } from '../../sync/transaction.ts';
import { usageError } from '../cli.ts';
import { asFindings, type DoctorFinding } from './finding.ts';

export async function checkInstalls(places: readonly InstallPlace[]) {
  const installed: InstalledReport[] = [];
  const findings: DoctorFinding[] = [];
  for (const place of places) {
    const found = await asFindings('installed', 'Fix the lock file, or restore the committed one.', async () => {
      const report = await checkInstalled(place);
      installed.push(report);
      return reportFindings(report);
    });
    findings.push(...found);
  }
  return { installed, findings };
}

function reportFindings({ place, skills, unfinished, leftovers }: InstalledReport): readonly DoctorFinding[] {
  const update = place.scope === 'global' ? 'skillwire install --global' : 'skillwire install';
  const findings: DoctorFinding[] = [];
  if (unfinished)
    findings.push({
      level: 'problem',
      check: 'installed',
      message: `An installation in "${place.root}" was interrupted`,
      remedy: 'Run "skillwire doctor --fix" or "skillwire install" to complete or undo it.',
      path: place.root,
      fix: async () => ((await recover(nodeSyncDisk, place)) === 'finished' ? 'completed' : 'undone'),
    });
  for (const path of leftovers)
    findings.push({
      level: 'warning',
      check: 'installed',
      message: `"${path}" was left by an installation of another user or of a deleted state`,
      remedy: 'Remove it if nobody is installing skills there now.',
      path,
    });
  // The traces of an interrupted run are reported once.
  if (unfinished) return findings;
  for (const { name, folders } of skills)
    for (const folder of folders)
      for (const finding of folderFindings(name, folder, update))
        findings.push(isRelinked(folder) ? { ...finding, fix: () => relink(place, name) } : finding);
  return findings;
}

/** Only an agent's link or copy is missing; the real copy is there. */
function isRelinked({ agents, state }: InstalledFolder): boolean {
  return agents.length > 0 && state === 'missing';
}

/** Restores what the disk still has. Fetches nothing and touches no edit. */
async function relink(place: InstallPlace, name: string): Promise<string> {
  const fetch = (): never => {
    throw usageError('Files must be fetched. Run "skillwire install".');
  };
  await restoreSkills({ place, names: [name], edits: 'keep', replace: false, dryRun: false, fetch });
  return 'restored';
}

function folderFindings(name: string, folder: InstalledFolder, update: string): readonly DoctorFinding[] {
  const { path, state, drift, agents } = folder;
  const whose = agents.length === 0 ? '' : ` (for ${agents.join(', ')})`;
  const finding = (level: DoctorFinding['level'], message: string, remedy: string): readonly DoctorFinding[] => [
    { level, check: 'installed', message, remedy, path },
  ];
  switch (state) {
    case 'ok':
    case 'copy':
      return [];
    case 'missing':
      return finding('problem', `"${name}" is missing at "${path}"${whose}`, `Run "${update}".`);
    case 'outdated':
      return finding('warning', `"${name}" at "${path}"${whose} is from an earlier lock file`, `Run "${update}".`);
    case 'broken-link':
      return finding('problem', `Broken link to "${name}" at "${path}"${whose}`, `Run "${update}".`);
    case 'foreign':
      return finding(
        'warning',
        `"${path}"${whose} was not installed as "${name}"`,
        'Move it away and run "skillwire install", or remove the skill with "skillwire remove".',
      );
    case 'edited': {
      const files = drift.slice(0, limits.sync.editsReported).map(({ path: file, kind }) => `${file} (${kind})`);
      const more = drift.length > files.length ? ` and ${drift.length - files.length} more` : '';
      return finding(
        'warning',
        `"${name}" at "${path}"${whose} was edited: ${files.join(', ')}${more}`,
        `Review it with "skillwire diff --installed", or overwrite it with "${update} --edits overwrite".`,
      );
    }
  }
}
