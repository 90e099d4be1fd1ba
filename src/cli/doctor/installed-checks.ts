/** What was installed, against the lock file: per skill, per folder, per file. */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { InstallPlace } from '../../sync/install-place.ts';
import { checkInstalled, type InstalledFolder, type InstalledReport } from '../../sync/installed.ts';
import { restoreSkills } from '../../sync/restore-skills.ts';
import { nodeSyncDisk } from '../../sync/sync-disk.ts';
import { recover } from '../../sync/transaction.ts';
import { asFindings, type DoctorFinding } from './finding.ts';

export interface InstalledChecks {
  readonly installed: readonly InstalledReport[];
  readonly findings: readonly DoctorFinding[];
}

export async function checkInstalls(places: readonly InstallPlace[]): Promise<InstalledChecks> {
  const installed: InstalledReport[] = [];
  const findings: DoctorFinding[] = [];
  for (const place of places) {
    const found = await asFindings('installed', 'correct the lock file, or take the committed one', async () => {
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
      message: `a run that installs skills in "${place.root}" was interrupted`,
      remedy: 'run "skillwire doctor --fix", or any command that installs: it is brought to its end or undone',
      path: place.root,
      fix: async () => ((await recover(nodeSyncDisk, place)) === 'finished' ? 'brought to its end' : 'undone'),
    });
  for (const path of leftovers)
    findings.push({
      level: 'warning',
      check: 'installed',
      message: `"${path}" was left behind by a run of another user or of a state that is gone`,
      remedy: 'remove it if nobody is installing skills there now',
      path,
    });
  // What an interrupted run left is told once, as that.
  if (unfinished) return findings;
  for (const { name, folders } of skills)
    for (const folder of folders)
      for (const finding of folderFindings(name, folder, update))
        findings.push(isRelinked(folder) ? { ...finding, fix: () => relink(place, name) } : finding);
  return findings;
}

/** What is missing is only the way of an agent to the real copy, which is there. */
function isRelinked({ agents, state }: InstalledFolder): boolean {
  return agents.length > 0 && state === 'missing';
}

/** Puts back what can be put back from what is on the disk; nothing is fetched, and no edit is touched. */
async function relink(place: InstallPlace, name: string): Promise<string> {
  const fetch = (): never => {
    throw new SkillwireError('USAGE', 'files have to be fetched; run "skillwire install"');
  };
  await restoreSkills({ place, names: [name], edits: 'keep', replace: false, dryRun: false, fetch });
  return 'put back';
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
      return finding('problem', `"${name}" is in the lock file, but not at "${path}"${whose}`, `run "${update}"`);
    case 'outdated':
      return finding('warning', `"${name}" at "${path}"${whose} is of an earlier lock file`, `run "${update}"`);
    case 'broken-link':
      return finding('problem', `the link to "${name}" at "${path}"${whose} leads nowhere`, `run "${update}"`);
    case 'foreign':
      return finding(
        'warning',
        `at "${path}"${whose} is something that was not installed as "${name}"`,
        'move it away and run "skillwire install", or remove the skill with "skillwire remove"',
      );
    case 'edited': {
      const told = drift.slice(0, limits.sync.editsReported).map(({ path: file, kind }) => `${file} (${kind})`);
      const more = drift.length > told.length ? ` and ${drift.length - told.length} more` : '';
      return finding(
        'warning',
        `"${name}" at "${path}"${whose} was changed: ${told.join(', ')}${more}`,
        `keep the change, look at it with "skillwire diff --installed", or overwrite it with "${update} --edits overwrite"`,
      );
    }
  }
}
