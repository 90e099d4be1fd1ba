/** What `update --check` found, for people and for programs. */

import { displayText } from '../../skill/display-text.ts';
import { type InstallPlace, lockPath } from '../../sync/install-place.ts';
import { lockedPlaceText } from '../../sync/locked-origin.ts';
import type { UpdateRow } from '../../sync/update-check.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { counted } from './counted.ts';
import { jsonText } from './json-text.ts';

export function writeUpdates(
  place: InstallPlace,
  rows: readonly UpdateRow[],
  { json }: Pick<GlobalOptions, 'json'>,
  cli: Cli,
): void {
  if (json === true) cli.stdout.write(`${jsonText(updatesJson(place, rows), 2)}\n`);
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
      origin: lockedPlaceText(locked.origin),
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
