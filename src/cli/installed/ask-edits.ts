/**
 * Asks once what to do with all locally edited files: keep, overwrite or save them aside. `--edits` answers in advance. Without it and
 * without a terminal each command takes its safe default.
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

/** Whether a person can be asked and has not answered yet. */
function asksAboutEdits({ edits, json, yes, dryRun }: AskEditsOptions, cli: Cli): boolean {
  return cli.ask !== undefined && edits === undefined && json !== true && yes !== true && dryRun !== true;
}

/**
 * @param concerned selects the installed skills that the command is about to change
 * @returns `undefined` if none of them was edited
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

/** Runs the work. If it fails at an edit, asks the person and runs it again with the answer. */
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

/** Any other answer keeps the edits, an empty line too. */
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
