/** The skills that `add` installs: named ones, all of an origin, or those that a person chooses from a list. */
import { SkillwireError } from '../../errors.ts';
import type { DiscoveredSkill, SkillAddress } from '../../host/discover/discovered-skill.ts';
import { matchSkill } from '../../host/discover/find.ts';
import { hasUniqueNames, type NamedOrigin } from '../../origins/named-origin.ts';
import { skillFileName } from '../../skill/entry.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { findSkill, originFailure } from '../find-skill.ts';
import type { CommandSession } from '../open-host.ts';
import { wantsColor } from '../render/color.ts';
import { totalSize } from '../render/skill-table.ts';
import { byteSize, counted } from '../render/values.ts';
import { withoutCopies } from './skill-copies.ts';

export async function namedSkills(
  session: CommandSession,
  origin: NamedOrigin,
  references: readonly string[],
): Promise<readonly SkillAddress[]> {
  const chosen: SkillAddress[] = [];
  for (const reference of references) {
    const uri = await uriOf(session, origin, reference);
    if (!chosen.some((one) => one.uri === uri)) chosen.push({ label: origin.label, uri });
  }
  return chosen;
}

/** Several copies are no ambiguity. */
async function uriOf({ host, signal }: CommandSession, origin: NamedOrigin, reference: string): Promise<string> {
  const { label } = origin;
  try {
    return (await findSkill(host, label, reference, signal, hasUniqueNames(origin))).captured.entry.uri;
  } catch (error) {
    if (!(error instanceof SkillwireError) || error.code !== 'AMBIGUOUS_SKILL') throw error;
    const match = matchSkill(reference, (await host.discover({ signal })).skills, [label]);
    const [only, ...others] = match.kind === 'many' ? withoutCopies(match.skills) : [];
    if (only === undefined || others.length > 0) throw error;
    return only.uri;
  }
}

/** Every skill of the origin, except nested ones and copies. @throws SkillwireError if there is none */
export async function listedSkills(
  { host, signal }: CommandSession,
  label: string,
): Promise<{ readonly skills: readonly DiscoveredSkill[]; readonly copies: number }> {
  const discovery = await host.discover({ signal });
  signal.throwIfAborted();
  const report = discovery.origins.find((one) => one.label === label);
  const failure = report === undefined ? undefined : originFailure(report);
  if (failure !== undefined) throw failure;
  const listed = discovery.skills.filter((skill) => skill.label === label);
  if (listed.length === 0)
    throw new SkillwireError(
      'SKILL_NOT_FOUND',
      `"${label}" has no skills to install. Run "skillwire list" for the reason.`,
    );
  const chosen = new Set(outermost(listed.map(({ uri }) => uri)));
  const outer = listed.filter(({ uri }) => chosen.has(uri));
  const skills = withoutCopies(outer);
  return { skills, copies: outer.length - skills.length };
}

interface ChooseOptions extends GlobalOptions {
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly approve?: readonly string[];
}

/** Shows the list if a person is there and has not answered already. */
export async function chooseSkills(
  listed: readonly DiscoveredSkill[],
  options: ChooseOptions,
  cli: Cli,
  signal: AbortSignal,
): Promise<readonly DiscoveredSkill[]> {
  const { all, yes, dryRun, json, approve = [] } = options;
  const answered = [all, yes, dryRun, json].includes(true) || approve.length > 0;
  if (cli.choose === undefined || answered || listed.length === 1) return listed;
  const choices = [...listed]
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map((skill) => ({
      value: skill,
      name: skill.name,
      facts: factsOf(skill),
      description: skill.description,
    }));
  return cli.choose(
    'Install which skills?',
    choices,
    wantsColor(cli.stderr, { env: cli.env, color: options.color }),
    signal,
  );
}

function factsOf(skill: DiscoveredSkill): string {
  const { resources } = skill.entry;
  const size = totalSize(skill);
  if (resources === 'dynamic' || size === undefined) return 'live';
  return `${counted(resources.length, 'file')}, ${byteSize(size)}`;
}

/** A nested skill is installed with the outer one. */
function outermost(uris: readonly string[]): readonly string[] {
  const folders = new Set(uris.map((uri) => uri.slice(0, -skillFileName.length)));
  return uris.filter((uri) => {
    const own = uri.slice(0, -skillFileName.length);
    for (let end = own.lastIndexOf('/', own.length - 2); end > 0; end = own.lastIndexOf('/', end - 1))
      if (folders.has(own.slice(0, end + 1))) return false;
    return true;
  });
}
