/** The options by which commands about installed skills find their place: a project, or the user. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { SkillwireError } from '../../errors.ts';
import { findProject } from '../../origins/project-folders.ts';
import { stateFolders } from '../../store/embedded/state-folders.ts';
import { type InstallPlace, installPlace } from '../../sync/install-place.ts';
import type { Edits } from '../../sync/plan-skill.ts';
import type { Cli } from '../cli.ts';
import { trustedAgents } from '../origins/origin-context.ts';

export interface PlaceOptions {
  readonly global?: boolean;
  readonly project?: boolean;
  readonly config?: string;
  readonly state?: string;
  readonly trustConfig?: readonly string[];
}

export interface EditOptions {
  readonly edits?: Edits;
}

export function addPlaceOptions(command: Command): Command {
  return command
    .option('-g, --global', 'of the user: ~/.agents/skills, with ~/.agents/skillwire.lock')
    .option('--project', 'of this project: .agents/skills, with skillwire.lock (the default)');
}

export function addEditsOption(command: Command): Command {
  const option = new Option(
    '--edits <what>',
    'installed files that somebody changed: leave, replace, or move them aside',
  );
  return command.addOption(option.choices(['keep', 'overwrite', 'save']));
}

/** Repeatable, and with commas. */
export function collectAgents(text: string, earlier: readonly string[] = []): readonly string[] {
  const ids = text.split(',').map((id) => id.trim());
  if (ids.every((id) => /^[a-z0-9][a-z0-9._-]*$/.test(id))) return [...new Set([...earlier, ...ids])];
  throw new SkillwireError('USAGE', `--agent "${text}" is no agent; write its id, for example --agent claude-code`);
}

export async function placeFor(options: PlaceOptions, cli: Cli): Promise<InstallPlace> {
  const { global, project, state } = options;
  const { cwd, env } = cli;
  if (global === true && project === true)
    throw new SkillwireError('USAGE', '--global and --project are two places; give one of them');
  const home = homedir();
  const platform = process.platform;
  const agents = await trustedAgents(options, cli);
  return installPlace({
    scope: global === true ? 'global' : 'project',
    home,
    project: findProject(cwd, home),
    env,
    platform,
    stateFolder: stateFolders({ env, home, platform, state: state === undefined ? undefined : resolve(cwd, state) })
      .state,
    agents,
  });
}
