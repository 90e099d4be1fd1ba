/**
 * `skillwire/sync`: skills of any origin as files on this machine, every byte verified. `syncSkills()` does everything: folders of agents, one
 * lock file, all or nothing. `getManifest()` and `writeSkill()` are for programs with folders of their own. All of them take a host of
 * `skillwire/host`, so approvals, rules and origins are the same everywhere.
 */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { writeTree } from '../../archive/write-tree.ts';
import { PolicyError } from '../../errors.ts';
import type { SkillAddress } from '../../host/discover/discovered-skill.ts';
import type { CallOptions, Host } from '../../host/host.ts';
import { findProject } from '../../origins/project-folders.ts';
import {
  callback,
  checkArgument,
  checkOptions,
  either,
  flag,
  type OptionChecks,
  oneOf,
  signal,
  text,
  texts,
  withMembers,
} from '../../skill/checked-options.ts';
import { quoteText } from '../../skill/display-text.ts';
import { stateFolders } from '../../store/embedded/state-folders.ts';
import { fetchSkill, manifestOf, type SkillManifest } from '../../sync/fetch-skill.ts';
import { type InstallScope, installPlace } from '../../sync/install-place.ts';
import { type InstalledResult, type InstallOptions, installSkills } from '../../sync/install-skills.ts';

import { editsCheck } from '../../sync/plan-skill.ts';

export { PolicyError, SkillwireError, VerificationError } from '../../errors.ts';
export { type RemoveOptions, removeSkills } from '../../sync/apply-skills.ts';
export type { SkillManifest } from '../../sync/fetch-skill.ts';
export type { DecideInstall, InstallDecision, InstallOffer } from '../../sync/install-decision.ts';
export type { InstallLock } from '../../sync/install-lock.ts';
export { type InstallPlace, type InstallScope, installPlace } from '../../sync/install-place.ts';
export type { InstalledResult } from '../../sync/install-skills.ts';
export {
  checkInstalled,
  type InstalledReport,
  type InstalledSkill,
  readInstalled,
} from '../../sync/installed.ts';
export type { Edits } from '../../sync/plan-skill.ts';
export { type RestoreOptions, restoreSkills, type SkillBytes } from '../../sync/restore-skills.ts';

const callChecks: OptionChecks<CallOptions> = { signal };
const anyHost = withMembers<Host>('a host of openHost() or createHost()', 'find', 'capture', 'approvals');
const skillReference = either(text, withMembers<SkillAddress>('an object with "label" and "uri"', 'label', 'uri'));

function checkCall(call: string, host: unknown, skill: unknown): void {
  checkArgument(call, 'host', host, anyHost);
  checkArgument(call, 'skill', skill, skillReference);
}

/** Every file of a skill, as its origin currently promises it. No file is read. @throws PolicyError NOT_APPROVED if it promises nothing */
export async function getManifest(
  host: Host,
  skill: string | SkillAddress,
  options: CallOptions = {},
): Promise<SkillManifest & SkillAddress> {
  checkCall('getManifest()', host, skill);
  checkOptions('getManifest()', options, callChecks);
  const { label, uri } = await addressOf(host, skill, options);
  return { ...manifestOf(await host.capture({ label, uri }, options)), label, uri };
}

/** Options of `writeSkill()`. */
export interface WriteSkillOptions extends CallOptions {
  /** Keep executable bits. Default false. */
  readonly scripts?: boolean;
}

/**
 * Writes all files of a skill into a new folder, which appears complete or not at all. A person or a rule must have approved this version;
 * folders of the user need no approval.
 *
 * @throws PolicyError NOT_APPROVED, REFUSED_BY_POLICY; VerificationError
 */
export async function writeSkill(
  host: Host,
  skill: string | SkillAddress,
  folder: string,
  given: WriteSkillOptions = {},
): Promise<SkillManifest> {
  checkCall('writeSkill()', host, skill);
  checkArgument('writeSkill()', 'folder', folder, text);
  checkOptions('writeSkill()', given, { ...callChecks, scripts: flag });
  const { scripts = false, ...options } = given;
  const captured = await host.capture(await addressOf(host, skill, options), options);
  const fetched = await fetchSkill(host, captured, options.signal);
  const { effect, reason } = await host.approvals.verdict(captured, fetched.texts);
  if (effect === 'deny' || (effect === 'ask' && !captured.local)) {
    const why = effect === 'deny' ? `a policy denies it: ${reason}` : 'it is not approved. Approve it first.';
    const code = effect === 'deny' ? 'REFUSED_BY_POLICY' : 'NOT_APPROVED';
    throw new PolicyError(code, `cannot write ${quoteText(captured.entry.uri)}: ${why}`, {
      data: { uri: captured.entry.uri },
    });
  }
  const files = fetched.files.map(({ path, bytes, executable }) => ({
    path,
    bytes,
    executable: scripts && executable === true,
  }));
  await writeTree(files, resolve(folder));
  return manifestOf(captured);
}

/** Options of `syncSkills()`. */
export interface SyncOptions extends Omit<InstallOptions, 'place' | 'skills' | 'agents'> {
  /** Skills, as for `host.find()`. Default: all listed skills. */
  readonly skills?: readonly string[];
  /** Default `project`. */
  readonly scope?: InstallScope;
  /** Default: the working folder, or the nearest parent with a lock file. */
  readonly project?: string;
  /** A separate folder for state and cache, as `--state`. Default: see `SKILLWIRE_HOME`. */
  readonly state?: string;
  /** Ids of agents that get links if they do not read the shared folder. Default: none. */
  readonly agents?: readonly string[];
}

const syncChecks: OptionChecks<SyncOptions> = {
  skills: texts,
  scope: oneOf('project', 'global'),
  project: text,
  state: text,
  agents: texts,
  originOf: callback(),
  mode: oneOf('link', 'copy'),
  scripts: flag,
  edits: editsCheck,
  allowSignerChange: flag,
  replace: flag,
  dryRun: flag,
  decide: callback(),
  store: withMembers('a store', 'blobs', 'index', 'audit'),
  disk: withMembers('a disk'),
  signal,
  onProgress: callback(),
};

/**
 * Installs skills, or updates installed ones to what their origins serve now, and writes `skillwire.lock`.
 *
 * @example
 * ```ts
 * const host = await openHost(['docs=https://docs.example.com']);
 * await syncSkills(host, { skills: ['pdf-tools'], agents: ['claude-code'], decide: async () => ({ allow: true }) });
 * ```
 */
export async function syncSkills(host: Host, options: SyncOptions = {}): Promise<readonly InstalledResult[]> {
  checkArgument('syncSkills()', 'host', host, anyHost);
  checkOptions('syncSkills()', options, syncChecks);
  const { skills, scope = 'project', project, state, agents = [], ...rest } = options;
  const home = homedir();
  const { platform, env } = process;
  const place = installPlace({
    scope,
    home,
    project: project === undefined ? findProject(process.cwd(), home) : resolve(project),
    env,
    platform,
    stateFolder: stateFolders({ env, home, platform, state }).state,
  });
  const call = { signal: rest.signal };
  const chosen =
    skills === undefined
      ? (await host.discover(call)).skills
      : await Promise.all(skills.map((skill) => host.find(skill, call)));
  return installSkills(host, { ...rest, place, agents, skills: chosen });
}

async function addressOf(host: Host, skill: string | SkillAddress, options: CallOptions): Promise<SkillAddress> {
  if (typeof skill !== 'string') return skill;
  const { label, uri } = await host.find(skill, options);
  return { label, uri };
}
