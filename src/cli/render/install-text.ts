/** The results of installing, updating and removing skills, for people and for programs. */
import { shownPath } from '../../node/shown-path.ts';
import { displayText } from '../../skill/display-text.ts';
import { editsText } from '../../sync/drift.ts';
import { lockedLocationText } from '../../sync/install-lock.ts';
import { type InstallPlace, lockPath, sharedSkills } from '../../sync/install-place.ts';
import type { EditedFolder } from '../../sync/plan-skill.ts';
import type { UpdateRow } from '../../sync/update-check.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { writeJson } from './json-text.ts';
import { counted, someOf } from './values.ts';

export interface InstallRow {
  readonly name: string;
  readonly action: string;
  readonly origin: string;
  readonly uri: string;
  readonly setDigest: string;
  readonly agents: readonly string[];
  readonly edited: readonly EditedFolder[];
  readonly saved: readonly string[];
  /** The origin's newer version, which was not installed. */
  readonly available?: string;
  /** Scripts that are executable at the origin and not here. */
  readonly notExecutable?: readonly string[];
}

export interface FailedRow {
  readonly name: string;
  readonly origin: string;
  readonly code: string;
  readonly message: string;
}

export interface InstallOutcome {
  readonly command: 'add' | 'install' | 'update' | 'remove';
  readonly place: InstallPlace;
  readonly dryRun: boolean;
  readonly rows: readonly InstallRow[];
  readonly failed?: readonly FailedRow[];
}

export function writeOutcome(outcome: InstallOutcome, { json }: Pick<GlobalOptions, 'json'>, cli: Cli): void {
  if (json === true) writeJson(cli, outcomeJson(outcome));
  else cli.stderr.write(outcomeText(outcome, cli.cwd));
}

function outcomeJson({ command, place, dryRun, rows, failed = [] }: InstallOutcome): object {
  return {
    version: 1,
    command,
    scope: place.scope,
    root: place.root,
    lockFile: lockPath(place),
    dryRun,
    skills: rows.map(({ name, action, origin, uri, setDigest, agents, edited, saved, available }) => ({
      name,
      action,
      origin,
      uri,
      setDigest,
      agents,
      edited,
      saved,
      available,
    })),
    failed,
  };
}

const doneWords: Readonly<Record<InstallOutcome['command'], string>> = {
  add: 'Installed',
  install: 'Installed',
  update: 'Updated',
  remove: 'Removed',
};

function outcomeText(outcome: InstallOutcome, cwd: string): string {
  const { command, place, dryRun, rows, failed = [] } = outcome;
  if (command === 'add' && !dryRun && rows.every(isPlainAddition)) return additionText(outcome, cwd);
  const lines: string[] = [];
  for (const { name, action, agents, edited, saved } of rows) {
    if (action === 'unchanged') continue;
    const who = agents.length === 0 ? '' : ` for ${agents.join(', ')}`;
    lines.push(`${action}: ${displayText(name)}${who}`);
    for (const { folder, files } of edited) lines.push(`  edited in ${shownPath(cwd, folder)}: ${editsText(files)}`);
    for (const path of saved) lines.push(`  saved to ${shownPath(cwd, path)}`);
  }
  for (const { name, message } of failed) lines.push(`failed: ${displayText(name)}: ${displayText(message)}`);
  const changed = rows.filter(({ action }) => action !== 'unchanged' && action !== 'kept').length;
  const unchanged = rows.filter(({ action }) => action === 'unchanged').length;
  const lock = shownPath(cwd, lockPath(place));
  if (dryRun) lines.push(`Dry run: ${counted(changed, 'skill')} would change.`);
  else if (changed > 0) lines.push(`${doneWords[command]} ${counted(changed, 'skill')}. Updated ${lock}.`);
  else if (unchanged > 0 || rows.length === 0)
    lines.push(`Nothing to do: ${counted(unchanged, 'skill')} up to date with ${lock}.`);
  return `${[...lines, ...editedLines(rows)].join('\n')}\n`;
}

function isPlainAddition({ action, edited, saved }: InstallRow): boolean {
  return action !== 'kept' && action !== 'unchanged' && edited.length === 0 && saved.length === 0;
}

/** At most six lines, whatever was installed. */
function additionText({ place, rows }: InstallOutcome, cwd: string): string {
  const names = rows.map(({ name }) => displayText(name));
  const agents = [...new Set(rows.flatMap((row) => row.agents))].sort();
  const scripts = rows.flatMap(({ name, notExecutable = [] }) => notExecutable.map((path) => `${name}/${path}`));
  const global = place.scope === 'global' ? ' --global' : '';
  const lines = [
    `Installed ${counted(rows.length, 'skill')}${agents.length === 0 ? '' : ` for ${someOf(agents)}`}: ${someOf(names)}.`,
    `Folder: ${shownPath(cwd, sharedSkills(place))}`,
    ...(scripts.length === 0
      ? []
      : [`Not executable: ${someOf(scripts.map((path) => displayText(path)))}. Change it with --scripts.`]),
    `Updated ${shownPath(cwd, lockPath(place))}.`,
    ...(names.length > 3 ? [] : [`Undo: skillwire remove ${names.join(' ')}${global}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function editedLines(rows: readonly InstallRow[]): readonly string[] {
  const withEdits = rows.filter(({ action }) => action === 'kept');
  const line = (group: readonly InstallRow[], more: string): readonly string[] =>
    group.length === 0 ? [] : [`Kept your edits to ${group.map(({ name }) => displayText(name)).join(', ')}.${more}`];
  const newer = withEdits.filter(({ available }) => available !== undefined);
  const current = withEdits.filter(({ available }) => available === undefined);
  return [
    ...line(current, ''),
    ...line(newer, newer.length === 1 ? ' A newer version is available.' : ' Newer versions are available.'),
  ];
}

export function writeUpdates(
  place: InstallPlace,
  rows: readonly UpdateRow[],
  { json }: Pick<GlobalOptions, 'json'>,
  cli: Cli,
): void {
  if (json === true) writeJson(cli, updatesJson(place, rows));
  else cli.stderr.write(updatesText(rows));
}

function updatesJson(place: InstallPlace, rows: readonly UpdateRow[]): object {
  return {
    version: 1,
    command: 'update',
    check: true,
    scope: place.scope,
    root: place.root,
    lockFile: lockPath(place),
    skills: rows.map(({ name, state, locked, setDigest, changed, added, removed, error }) => ({
      name,
      state,
      origin: lockedLocationText(locked.origin),
      uri: locked.uri,
      installed: locked.setDigest,
      available: setDigest ?? null,
      changed,
      added,
      removed,
      error: error === undefined ? undefined : { code: error.code, message: error.message },
    })),
  };
}

function updatesText(rows: readonly UpdateRow[]): string {
  const lines: string[] = [];
  for (const { name, state, changed, added, removed, error } of rows) {
    if (state === 'current') continue;
    lines.push(`${state}: ${displayText(name)}${error === undefined ? '' : `: ${displayText(error.message)}`}`);
    for (const path of changed) lines.push(`  ~ ${displayText(path)}`);
    for (const path of added) lines.push(`  + ${displayText(path)}`);
    for (const path of removed) lines.push(`  - ${displayText(path)}`);
  }
  const pending = rows.filter(({ state }) => state === 'changed').length;
  const current = rows.filter(({ state }) => state === 'current').length;
  lines.push(`${counted(current, 'skill')} up to date, ${pending} changed`);
  return `${lines.join('\n')}\n`;
}
