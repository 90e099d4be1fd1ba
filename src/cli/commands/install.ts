/** `skillwire install`: installs exactly what `skillwire.lock` pins, in every folder that it names. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { lockedLocationText } from '../../sync/install-lock.ts';
import { type InstallPlace, lockPath } from '../../sync/install-place.ts';
import type { Edits } from '../../sync/plan-skill.ts';
import { type LockedByName, type RestoredSkill, restoreSkills } from '../../sync/restore-skills.ts';
import { type Cli, type GlobalOptions, withInput } from '../cli.ts';
import { askingAboutEdits } from '../installed/ask-edits.ts';
import { addConnectionOptions, type ConnectionOptions } from '../options/connection-options.ts';
import {
  addEditsOption,
  addPlaceOptions,
  type EditOptions,
  type PlaceOptions,
  placeFor,
} from '../options/install-options.ts';
import { writeOutcome } from '../render/install-text.ts';
import { optimizeLate } from '../v8-flags.ts';

interface InstallCommandOptions extends GlobalOptions, ConnectionOptions, EditOptions, PlaceOptions {
  readonly dryRun?: boolean;
  readonly replace?: boolean;
}

const help = `
No approval needed: the lock file pins every byte. Your rules about signers still apply. If an origin serves other bytes, or if files were edited and nobody can
be asked, nothing is changed. Fetched files are stored by digest, so most installs need no network.

Exit codes:
  0 installed or up to date, 1 edited files (see --edits), 2 failed, or no usable lock file, 3 not authorized,
  4 unreachable, 5 refused by a rule or name taken, 7 verification failed, 130 interrupted

Examples:
  skillwire install
  skillwire install --global
  skillwire install --edits save         # edited copies go to .agents/saved-skills
  skillwire install --dry-run --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  const withPlace = addPlaceOptions(command.usage('[options]'))
    .option('--dry-run', 'Show what would change, and change nothing')
    .option('--replace', 'Move aside files of others that are in the way');
  addConnectionOptions(addEditsOption(withPlace))
    .addHelpText('after', help)
    .action(async (_: unknown, self: Command) => {
      optimizeLate();
      const options = self.optsWithGlobals<InstallCommandOptions>();
      const here = withInput(cli, options);
      const place = await placeFor(options, here);
      const run = (edits: Edits | undefined): Promise<ExitCode> =>
        install(place, edits === undefined ? options : { ...options, edits }, here);
      finish(await askingAboutEdits(run, () => true, place, options, here));
    });
}

async function install(place: InstallPlace, options: InstallCommandOptions, cli: Cli): Promise<ExitCode> {
  const dryRun = options.dryRun === true;
  const how = {
    place,
    edits: options.edits ?? ('refuse' as const),
    replace: options.replace === true,
    dryRun,
    stampsChanges,
  };
  let missing: readonly LockedByName[] = [];
  const needsMore = new NeedsMore();
  const rows = await restoreSkills({
    ...how,
    fetch: async (skills) => {
      missing = skills;
      throw needsMore;
    },
    accept: async () => {
      throw needsMore;
    },
  }).catch((error: unknown) => {
    if (error === needsMore) return undefined;
    throw error;
  });
  // Checked last: a run that was interrupted is completed or undone first.
  if (rows?.length === 0 && !existsSync(lockPath(place))) throw withoutLock(place);
  if (rows !== undefined) return report(rows, place, options, cli);
  // Most runs end above, without loading the code that reads origins and rules.
  const { withStored } = await import('../installed/restore-from-origins.ts');
  return withStored(missing, place, options, cli, async (parts) =>
    report(await restoreSkills({ ...how, ...parts }), place, options, cli),
  );
}

function withoutLock(place: InstallPlace): SkillwireError {
  const lockFile = lockPath(place);
  const global = place.scope === 'global' ? ' --global' : '';
  const message = `There is no ${quoteText(lockFile)}. Start with "skillwire add ORIGIN${global}".`;
  return new SkillwireError('LOCK_NOT_FOUND', message, { data: { lockFile } });
}

async function stampsChanges(folder: string): Promise<boolean> {
  const { diskOf } = await import('../../sources/directory/directory-root.ts');
  const { local, stampsFolders } = await diskOf(folder);
  return local && stampsFolders;
}

/** Thrown if files must be fetched, or written by the rules about signers. */
class NeedsMore extends Error {}

function report(
  rows: readonly RestoredSkill[],
  place: InstallPlace,
  options: InstallCommandOptions,
  cli: Cli,
): ExitCode {
  const shown = rows.map(({ name, action, locked, edited, saved }) => {
    const { origin, uri, setDigest, agents } = locked;
    return { name, action, origin: lockedLocationText(origin), uri, setDigest, agents, edited, saved };
  });
  writeOutcome({ command: 'install', place, dryRun: options.dryRun === true, rows: shown }, options, cli);
  return rows.some(({ action }) => action === 'kept') ? exitCodes.findings : exitCodes.ok;
}
