/** Command lines about waiting skills, whole and quoted, so that a person can copy them. */
import { shellWord } from '../../agents/client-config.ts';
import { isLabel } from '../../origins/parse-origin.ts';
import { planDigest } from '../../serving/approval-plan.ts';
import { displayText } from '../../skill/display-text.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import { defaultRuntimeLabel } from '../../sources/mdp-runtime/mdp-runtime-source.ts';
import { noGrants } from '../../store/decisions/approval.ts';
import type { Cli } from '../cli.ts';
import type { PendingSkill } from '../decisions/waiting-skills.ts';
import { counted } from './values.ts';

export interface CommandFlags {
  readonly config?: string;
  readonly state?: string;
}

/** `skillwire` and the words, quoted for a shell. */
export function commandText(words: readonly string[]): string {
  return ['skillwire', ...words].map((word) => displayText(shellWord(word))).join(' ');
}

/** The options with which another command finds the same configuration and state. */
export function placeFlags({ config, state }: CommandFlags): readonly string[] {
  return [...(config === undefined ? [] : ['--config', config]), ...(state === undefined ? [] : ['--state', state])];
}

/** The configuration in force here. */
export interface InForce {
  readonly file?: string | undefined;
  readonly labels: ReadonlySet<string>;
}

/** The place of a skill whose server has another configuration than the one in force. */
function placeOf({ owner }: PendingSkill, { file }: InForce, options: CommandFlags): CommandFlags {
  return owner.configured && owner.server !== file ? { ...options, config: owner.server } : options;
}

/** False if the command line of a server named the origin, or if it is a program at the server. */
function isNameable({ label, owner }: PendingSkill, { labels }: InForce): boolean {
  return !isLabel(label) || labels.has(label) || (owner.configured && label !== defaultRuntimeLabel);
}

/** `undefined` if no command can name the origin. */
export function approveCommand(skill: PendingSkill, inForce: InForce, options: CommandFlags): string | undefined {
  const { label, uri, setDigest } = skill;
  if (!isNameable(skill, inForce)) return undefined;
  const place = placeOf(skill, inForce, options);
  const path = tryParseSkillUri(uri)?.segments.slice(0, -1).join('/') ?? '';
  return commandText(['approve', label, path === '' ? uri : path, '--yes', setDigest, ...placeFlags(place)]);
}

/** Live skills have no digests, so nobody can approve them. */
export function hiddenLiveText(skills: number): string {
  const [are, them] = skills === 1 ? ['1 live skill is', 'it'] : [`${skills} live skills are`, 'them'];
  return `${are} not served under the policy. Pin ${them} with "pin" in skillwire.json, or set "dynamic": true in the policy.\n`;
}

/** A group of waiting skills that one command approves. */
export interface WaitingGroup {
  readonly skills: readonly PendingSkill[];
  readonly planDigest: string;
  readonly approveAll: string;
  readonly review: string;
}

/** One group for each configuration, the one in force first. */
export async function waitingGroups(
  skills: readonly PendingSkill[],
  inForce: InForce,
  options: CommandFlags,
): Promise<readonly WaitingGroup[]> {
  const groups = new Map<string, { readonly place: CommandFlags; readonly skills: PendingSkill[] }>();
  for (const skill of skills) {
    const place = placeOf(skill, inForce, options);
    if (!isNameable(skill, inForce)) continue;
    const group = groups.get(place.config ?? '') ?? { place, skills: [] };
    group.skills.push(skill);
    groups.set(place.config ?? '', group);
  }
  const ordered = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return Promise.all(
    ordered.map(async ([, { place, skills: own }]) => {
      const digest = await planDigest(own, noGrants);
      const flags = placeFlags(place);
      return {
        skills: own,
        planDigest: digest,
        approveAll: commandText(['approve', '--all', '--yes', digest, ...flags]),
        review: commandText(['review', ...flags]),
      };
    }),
  );
}

/** Notes on skills that wait, but whose origins the configuration in force does not name. */
export function writeElsewhere(
  skills: readonly PendingSkill[],
  { state }: CommandFlags,
  { stderr }: Pick<Cli, 'stderr'>,
): void {
  const files = new Map<string, number>();
  let unnamed = 0;
  for (const { owner } of skills)
    if (owner.configured) files.set(owner.server, (files.get(owner.server) ?? 0) + 1);
    else unnamed++;
  for (const [file, count] of files) {
    const command = commandText(['review', ...placeFlags({ config: file, state })]);
    stderr.write(`note: ${counted(count, 'more skill')} at another configuration: ${command}\n`);
  }
  if (unnamed > 0)
    stderr.write(
      `note: ${counted(unnamed, 'more skill')} at origins that only their server knows. Decide on its page.\n`,
    );
}
