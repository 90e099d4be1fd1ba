/**
 * The question about installed files that somebody edited, where a person can be asked: keep, overwrite or save aside, once for all of
 * them. `--edits` is the answer beforehand; without it and without a terminal every command does what it does to be safe.
 */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { editsText } from '../../sync/drift.ts';
import type { InstallPlace } from '../../sync/install-place.ts';
import { checkSkill, type InstalledSkill, readInstalled } from '../../sync/installed.ts';
import type { Edits } from '../../sync/plan-skill.ts';
import { nodeSyncDisk } from '../../sync/sync-disk.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { interruptible } from '../interrupts.ts';
import type { EditOptions } from '../options/install-options.ts';

interface AskEditsOptions extends GlobalOptions, EditOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Whether there is somebody to ask and something left to say. */
function asksAboutEdits({ edits, json, yes, dryRun }: AskEditsOptions, cli: Cli): boolean {
  return cli.ask !== undefined && edits === undefined && json !== true && yes !== true && dryRun !== true;
}

/**
 * @param concerned which of the installed skills the command is about to change
 * @returns undefined where nothing of them was edited, or nobody can be asked
 */
export async function askEdits(
  concerned: (name: string, skill: InstalledSkill['locked']) => boolean,
  place: InstallPlace,
  options: AskEditsOptions,
  cli: Cli,
  signal: AbortSignal,
): Promise<Edits | undefined> {
  if (cli.ask === undefined || !asksAboutEdits(options, cli)) return options.edits;
  const edited: InstalledSkill[] = [];
  for (const [name, locked] of Object.entries((await readInstalled(place)).skills)) {
    if (!concerned(name, locked)) continue;
    const skill = await checkSkill(nodeSyncDisk, place, name, locked);
    if (skill.state === 'edited') edited.push(skill);
  }
  if (edited.length === 0) return undefined;
  cli.stderr.write(edited.map(lineOf).join(''));
  const answer = await cli.ask('Keep the edits, overwrite them, or save them aside first? [K/o/s] ', signal);
  return meanings.find(([pattern]) => pattern.test(answer))?.[1] ?? 'keep';
}

/** Runs the work, and once more with the answer where it stops at an edit and somebody can be asked. */
export async function askingAboutEdits<T>(
  run: (edits: Edits | undefined) => Promise<T>,
  concerned: (name: string) => boolean,
  place: InstallPlace,
  options: AskEditsOptions,
  cli: Cli,
): Promise<T> {
  return interruptible(async (signal) => {
    try {
      return await run(options.edits);
    } catch (error) {
      if (!(error instanceof SkillwireError) || error.code !== 'EDITED' || !asksAboutEdits(options, cli)) throw error;
      const edits = await askEdits(concerned, place, options, cli, signal);
      if (edits === undefined) throw error;
      return run(edits);
    }
  });
}

/** Everything else, an empty line too, keeps them. */
const meanings: readonly (readonly [RegExp, Edits])[] = [
  [/^\s*o(?:verwrite)?\s*$/i, 'overwrite'],
  [/^\s*s(?:ave)?\s*$/i, 'save'],
];

function lineOf({ name, folders }: InstalledSkill): string {
  return folders
    .filter(({ state }) => state === 'edited')
    .map(({ path, drift }) => `${quoteText(name)} was edited in ${quoteText(path)}: ${editsText(drift)}\n`)
    .join('');
}
