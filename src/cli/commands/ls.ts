/** `skillwire ls`: lists installed skills with origin, agents, and differences from the lock file. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { shownPath } from '../../node/shown-path.ts';
import { lockedLocationText } from '../../sync/install-lock.ts';
import type { InstallPlace } from '../../sync/install-place.ts';
import { checkInstalled, type InstalledReport, type InstalledSkill } from '../../sync/installed.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { addConfigOptions, addStateOption } from '../options/connection-options.ts';
import { addPlaceOptions, type PlaceOptions, placeFor } from '../options/install-options.ts';
import type { Colors } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted, shortDigest } from '../render/values.ts';

type LsOptions = GlobalOptions & PlaceOptions;

const help = `
Contacts no origin; use "skillwire update --check" for updates. "skillwire diff --installed" shows local edits.

Exit codes:
  0 everything matches the lock file, 1 something differs, 2 failed or the lock file is damaged

Examples:
  skillwire ls
  skillwire ls --global --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(addConfigOptions(addPlaceOptions(command.usage('[options]'))))
    .addHelpText('after', help)
    .action(async (_: unknown, self: Command) => {
      const options = self.optsWithGlobals<LsOptions>();
      finish(await ls(await placeFor(options, cli), options, cli));
    });
}

async function ls(place: InstallPlace, options: LsOptions, cli: Cli): Promise<ExitCode> {
  const report = await checkInstalled(place);
  if (options.json === true) writeJson(cli, reportJson(report));
  else writeText(report, options, cli);
  const fine = report.skills.every(({ state }) => state === 'ok') && !report.unfinished;
  return fine ? exitCodes.ok : exitCodes.findings;
}

function writeText({ skills, lockFile, unfinished }: InstalledReport, options: LsOptions, cli: Cli): void {
  writeTable(skills, columns, options, cli);
  if (unfinished) cli.stderr.write('An installation was interrupted. The next one completes it.\n');
  cli.stderr.write(`${counted(skills.length, 'skill')} in ${shownPath(cli.cwd, lockFile)}\n`);
}

const columns: readonly Column<InstalledSkill>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'STATE', text: ({ state }) => state, style: stateStyle },
  { title: 'AGENTS', text: ({ locked }) => (locked.agents.length === 0 ? 'shared folder' : locked.agents.join(', ')) },
  { title: 'MODE', text: ({ locked }) => locked.mode },
  { title: 'SET', text: ({ locked }) => shortDigest(locked.setDigest) },
  { title: 'ORIGIN', rest: true, text: ({ locked }) => lockedLocationText(locked.origin) },
];

function stateStyle({ state }: InstalledSkill, colors: Colors): (text: string) => string {
  return state === 'ok' ? colors.green : state === 'edited' || state === 'outdated' ? colors.yellow : colors.red;
}

function reportJson({ place, lockFile, skills, unfinished, leftovers }: InstalledReport): object {
  return {
    version: 1,
    scope: place.scope,
    root: place.root,
    lockFile,
    unfinished,
    leftovers,
    skills: skills.map(({ name, state, locked: { unknown: _, origin, ...locked }, folders }) => ({
      name,
      state,
      origin: lockedLocationText(origin),
      ...locked,
      folders,
    })),
  };
}
