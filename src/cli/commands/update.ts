/** `skillwire update`: shows what changed at the origins of installed skills, asks once, and installs all of it in one transaction. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { requireInstalled } from '../../sync/apply-skills.ts';
import { asListed } from '../../sync/fetch-skill.ts';
import { lockedLocationText } from '../../sync/install-lock.ts';
import type { InstallPlace } from '../../sync/install-place.ts';
import { installSkills } from '../../sync/install-skills.ts';
import { readInstalled } from '../../sync/installed.ts';
import { checkUpdates, type UpdateRow } from '../../sync/update-check.ts';
import { type Cli, type GlobalOptions, withInput } from '../cli.ts';
import { askEdits } from '../installed/ask-edits.ts';
import { addDecisionOptions, type DecideOptions, decideAtTerminal } from '../installed/decide-install.ts';
import type { CommandSession } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions } from '../options/connection-options.ts';
import {
  addEditsOption,
  addPlaceOptions,
  type EditOptions,
  type PlaceOptions,
  placeFor,
} from '../options/install-options.ts';
import { type LockedAddress, revisionOf, withLockedOrigins } from '../origins/lock-origins.ts';
import { startProgress } from '../progress.ts';
import { type FailedRow, writeOutcome, writeUpdates } from '../render/install-text.ts';
import { optimizeLate } from '../v8-flags.ts';

interface UpdateOptions extends GlobalOptions, ConnectionOptions, DecideOptions, EditOptions, PlaceOptions {
  readonly check?: boolean;
}

const help = `
SKILL is the name of an installed skill (default: all). Shows the changes, then asks once. Agents, links and executable
bits stay as in the lock file. --check reads no files and changes nothing.

Exit codes:
  0 up to date or updated, 1 changes pending (--check) or edited files (see --edits), 2 failed, 3 not authorized,
  4 unreachable, 5 not approved or refused, 6 some origins failed, 7 verification failed, 130 interrupted

Examples:
  skillwire update --check
  skillwire update pdf-tools
  skillwire update --dry-run             # shows the changes
  skillwire update --edits save --approve sha256:…`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  const withPlace = addPlaceOptions(
    command.usage('[SKILL...] [options]').argument('[skills...]', 'Names of installed skills'),
  ).option('--check', 'List pending changes; exit with 1 if there are any');
  addConnectionOptions(addDecisionOptions(addEditsOption(withPlace)))
    .addHelpText('after', help)
    .action(async (names: readonly string[], _: unknown, self: Command) => {
      optimizeLate();
      const options = self.optsWithGlobals<UpdateOptions>();
      const here = withInput(cli, options);
      finish(await update(names, await placeFor(options, here), options, here));
    });
}

async function update(
  names: readonly string[],
  place: InstallPlace,
  options: UpdateOptions,
  cli: Cli,
): Promise<ExitCode> {
  const lock = await readInstalled(place);
  const chosen = names.length === 0 ? Object.keys(lock.skills) : [...new Set(names)];
  const skills = chosen.map((name) => ({ name, locked: requireInstalled(lock, name, place) }));
  if (skills.length === 0) {
    if (options.check === true) writeUpdates(place, [], options, cli);
    else writeOutcome({ command: 'update', place, dryRun: options.dryRun === true, rows: [] }, options, cli);
    return exitCodes.ok;
  }
  return withLockedOrigins(skills, place, options, cli, false, async (session, located) => {
    const progress = startProgress(cli, 'Contacting origins');
    try {
      const listed = await asListed(
        session.host,
        located.map(({ address }) => address),
        session.signal,
      );
      const addresses = located.map((skill, index) => ({ ...skill, address: listed[index] ?? skill.address }));
      const rows = await checkUpdates(session.host, addresses, session.signal, (work) => progress.count(work, 'skill'));
      progress.stop();
      if (options.check === true) {
        writeUpdates(place, rows, options, cli);
        return exitOf(rows, rows.some(({ state }) => state === 'changed') ? exitCodes.findings : exitCodes.ok);
      }
      const changed = new Set(rows.filter(({ state }) => state === 'changed').map(({ name }) => name));
      const edits = await askEdits((name) => changed.has(name), place, options, cli, session.signal);
      return await updateAll(
        session,
        addresses,
        rows,
        place,
        edits === undefined ? options : { ...options, edits },
        cli,
      );
    } finally {
      progress.stop();
    }
  });
}

async function updateAll(
  { host, store, origins, signal, installs }: CommandSession,
  addresses: readonly LockedAddress[],
  rows: readonly UpdateRow[],
  place: InstallPlace,
  options: UpdateOptions,
  cli: Cli,
): Promise<ExitCode> {
  const failed = rows.flatMap((row): FailedRow[] =>
    row.error === undefined
      ? []
      : [
          {
            name: row.name,
            origin: lockedLocationText(row.locked.origin),
            code: row.error.code,
            message: row.error.message,
          },
        ],
  );
  const usable = addresses.filter(({ name }) => !failed.some((row) => row.name === name));
  const lockedAs = (label: string, uri: string): LockedAddress['locked'] | undefined => {
    const sameLabel = usable.filter(({ address }) => address.label === label);
    return (sameLabel.find(({ address }) => address.uri === uri) ?? sameLabel[0])?.locked;
  };
  const progress = startProgress(cli, 'Reading');
  const decide = decideAtTerminal(options, {
    cli,
    signal,
    who: 'Update',
    // The lock file names the origins.
    plan: { origins, typed: new Set(), setting: await installs() },
  });
  const done = await installSkills(host, {
    place,
    store,
    signal,
    agents: [],
    skills: usable.map(({ address }) => address),
    originOf: async (label, uri) => {
      const locked = lockedAs(label, uri);
      if (locked === undefined) throw new TypeError(`no locked skill has the label ${label}`);
      const { origin, label: named } = locked;
      const reading = origins.find((one) => one.label === label);
      const revision = reading === undefined ? undefined : await revisionOf(host, reading, signal);
      return { origin, label: named, revision };
    },
    edits: options.edits ?? 'keep',
    replace: false,
    dryRun: options.dryRun === true,
    scripts: options.scripts,
    allowSignerChange: options.allowSignerChange === true,
    decide: (offers) => {
      progress.stop();
      return decide(offers);
    },
    onProgress: (work) => progress.count(work, 'skill'),
  }).finally(() => progress.stop());
  writeOutcome({ command: 'update', place, dryRun: options.dryRun === true, rows: done, failed }, options, cli);
  return exitOf(rows, done.some(({ action }) => action === 'kept') ? exitCodes.findings : exitCodes.ok);
}

/** Failed verification weighs most. If every origin failed, the first error counts. */
function exitOf(rows: readonly UpdateRow[], otherwise: ExitCode): ExitCode {
  const errors = rows.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const broken = errors.find(({ exitCode }) => exitCode === exitCodes.verificationFailed);
  if (broken !== undefined) return exitCodes.verificationFailed;
  if (errors.length === 0) return otherwise;
  const [first] = errors;
  return errors.length === rows.length && first instanceof SkillwireError ? first.exitCode : exitCodes.partial;
}
