/** `skillwire ls`: what is installed here, from where, for whom, and whether it is still what the lock file says. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { shownPath } from '../../node/shown-path.ts';
import type { InstallPlace } from '../../sync/install-place.ts';
import { checkInstalled, type InstalledReport, type InstalledSkill } from '../../sync/installed.ts';
import { lockedPlaceText } from '../../sync/locked-origin.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { addStateOption, configOption, trustOption } from '../options/connection-options.ts';
import { addPlaceOptions, type PlaceOptions, placeFor } from '../options/install-options.ts';
import { type Colors, colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted } from '../render/values.ts';

type LsOptions = GlobalOptions & PlaceOptions;

const help = `
No origin is asked; "skillwire update --check" asks them. "skillwire diff --installed" shows what was edited.

Exit codes:
  0 everything is as the lock file says, 1 something is not, 2 could not run or the lock file is damaged

Examples:
  skillwire ls
  skillwire ls --global --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(addPlaceOptions(command.usage('[options]')).addOption(configOption()).addOption(trustOption()))
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
  if (unfinished) cli.stderr.write('an installation was interrupted; the next one brings it to its end\n');
  cli.stderr.write(`${counted(skills.length, 'skill')} in ${shownPath(cli.cwd, lockFile)}\n`);
}

const columns: readonly Column<InstalledSkill>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'STATE', text: ({ state }) => state, style: stateStyle },
  { title: 'AGENTS', text: ({ locked }) => (locked.agents.length === 0 ? 'shared folder' : locked.agents.join(', ')) },
  { title: 'MODE', text: ({ locked }) => locked.mode },
  { title: 'SET', text: ({ locked }) => locked.setDigest.slice(0, 'sha256:'.length + 12) },
  { title: 'ORIGIN', rest: true, text: ({ locked }) => lockedPlaceText(locked.origin) },
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
      origin: lockedPlaceText(origin),
      ...locked,
      folders,
    })),
  };
}
