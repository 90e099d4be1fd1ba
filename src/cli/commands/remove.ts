/** `skillwire remove`: removes installed skills, and nothing else. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { removeSkills, requireInstalled } from '../../sync/apply-skills.ts';
import { lockedLocationText } from '../../sync/install-lock.ts';
import type { InstallPlace } from '../../sync/install-place.ts';
import { readInstalled } from '../../sync/installed.ts';
import type { Edits } from '../../sync/plan-skill.ts';
import { type Cli, type GlobalOptions, withInput } from '../cli.ts';
import { askingAboutEdits } from '../installed/ask-edits.ts';
import { addConfigOptions, addStateOption } from '../options/connection-options.ts';
import {
  addEditsOption,
  addPlaceOptions,
  collectAgents,
  type EditOptions,
  type PlaceOptions,
  placeFor,
} from '../options/install-options.ts';
import { writeOutcome } from '../render/install-text.ts';

interface RemoveOptions extends GlobalOptions, EditOptions, PlaceOptions {
  readonly agent?: readonly string[];
  readonly dryRun?: boolean;
}

const help = `
SKILL is the name of an installed skill. --agent removes only the link or copy of that agent. Edited skills are removed
only with --edits or after a prompt. Contacts no origin.

Exit codes:
  0 removed, 1 edited files (see --edits), 2 failed or no such skill, 130 interrupted

Examples:
  skillwire remove pdf-tools
  skillwire remove pdf-tools --agent claude-code
  skillwire remove pdf-tools --edits save --global`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  const withPlace = addPlaceOptions(
    command
      .usage('SKILL... [options]')
      .argument('<skills...>', 'Names of installed skills')
      .option('-a, --agent <id>', 'Only for this agent (repeatable)', collectAgents),
  ).option('--dry-run', 'Show what would change, and change nothing');
  addStateOption(addConfigOptions(addEditsOption(withPlace)))
    .addHelpText('after', help)
    .action(async (names: readonly string[], _: unknown, self: Command) => {
      const options = self.optsWithGlobals<RemoveOptions>();
      const here = withInput(cli, options);
      const place = await placeFor(options, here);
      const run = (edits: Edits | undefined): Promise<ExitCode> =>
        remove(names, place, edits === undefined ? options : { ...options, edits }, here);
      finish(await askingAboutEdits(run, (name) => names.includes(name), place, options, here));
    });
}

async function remove(
  names: readonly string[],
  place: InstallPlace,
  options: RemoveOptions,
  cli: Cli,
): Promise<ExitCode> {
  const lock = await readInstalled(place);
  const locked = new Map(names.map((name) => [name, requireInstalled(lock, name, place)]));
  const skills = await removeSkills({
    place,
    names,
    edits: options.edits ?? 'refuse',
    dryRun: options.dryRun === true,
    agents: options.agent,
  });
  const rows = skills.map(({ name, outcome, edited, saved }) => {
    const { origin: from, uri = '', setDigest = '', agents = [] } = locked.get(name) ?? {};
    const origin = from === undefined ? '' : lockedLocationText(from);
    const action = outcome === 'changed' ? 'removed' : outcome;
    return { name, action, origin, uri, setDigest, agents: options.agent ?? agents, edited, saved };
  });
  writeOutcome({ command: 'remove', place, dryRun: options.dryRun === true, rows }, options, cli);
  return rows.some(({ action }) => action === 'kept') ? exitCodes.findings : exitCodes.ok;
}
