/** Options that choose where skills are installed: in a project or for the user. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { findProject } from '../../origins/project-folders.ts';
import { stateFolders } from '../../store/embedded/state-folders.ts';
import { type InstallPlace, installPlace } from '../../sync/install-place.ts';
import type { Edits } from '../../sync/plan-skill.ts';
import { type Cli, usageError } from '../cli.ts';
import { optionIn, rareOption } from '../help/option-groups.ts';
import { trustedAgents } from '../origins/origin-context.ts';
import type { ConnectionOptions } from './connection-options.ts';

export interface PlaceOptions extends Pick<ConnectionOptions, 'config' | 'state' | 'trustConfig'> {
  readonly global?: boolean;
  readonly project?: boolean;
}

export interface EditOptions {
  readonly edits?: Edits;
  /** False for `--no-input`. */
  readonly input?: boolean;
}

export function addPlaceOptions(command: Command): Command {
  return command
    .addOption(
      optionIn('common', '-g, --global', 'For you in all projects: ~/.agents/skills, ~/.agents/skillwire.lock'),
    )
    .addOption(rareOption('common', '--project', 'For this project: .agents/skills, skillwire.lock (default)'));
}

export function addEditsOption(command: Command): Command {
  const option = optionIn('common', '--edits <what>', 'How to treat locally edited files');
  return command
    .addOption(option.choices(['keep', 'overwrite', 'save']))
    .addOption(rareOption('common', '--no-input', 'Ask nothing, as without a terminal'));
}

/** Repeatable, and with commas. */
export function collectAgents(text: string, earlier: readonly string[] = []): readonly string[] {
  const ids = text.split(',').map((id) => id.trim());
  if (ids.every((id) => /^[a-z0-9][a-z0-9._-]*$/.test(id))) return [...new Set([...earlier, ...ids])];
  throw usageError(`--agent "${text}" is not an agent id. For example: --agent claude-code`);
}

export async function placeFor(options: PlaceOptions, cli: Cli): Promise<InstallPlace> {
  const { global, project, state } = options;
  const { cwd, env } = cli;
  if (global === true && project === true) throw usageError('--global and --project exclude each other. Use one.');
  const home = homedir();
  const platform = process.platform;
  const folders = stateFolders({ env, home, platform, state: state === undefined ? undefined : resolve(cwd, state) });
  return installPlace({
    scope: global === true ? 'global' : 'project',
    home,
    project: findProject(cwd, home),
    env,
    platform,
    stateFolder: folders.state,
    agents: await trustedAgents(options, cli),
  });
}
