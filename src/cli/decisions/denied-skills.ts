/**
 * Finds the skills that a denial affects without contacting an origin: in approvals, in listings that servers stored, and in configured
 * folders.
 */

import type { JudgedOrigins } from '../../origins/named-origin.ts';
import { isLabel } from '../../origins/parse-origin.ts';
import { everyKnownOrigin, type ReadingContext } from '../../origins/resolve-reading.ts';
import { createServingPolicy, type Denial, type ServingFacts, type ServingRules } from '../../policy/serving-policy.ts';
import { type JudgedSkill, servingFacts } from '../../serving/serving-facts.ts';
import { folderPath, nestedOf } from '../../skill/nested-skills.ts';
import { directorySource } from '../../sources/directory/directory-source.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import { storedSkills } from '../../transforms/stored-listing.ts';
import type { CommandSession } from '../open-host.ts';

export interface DeniedSkill {
  /** Label of the origin. */
  readonly origin: string;
  /** Path at which it is served. */
  readonly path: string;
  /** Path of the denied skill inside it; null if it is itself denied. */
  readonly contains: string | null;
}

interface KnownSkill {
  readonly label: string;
  readonly skill: JudgedSkill;
}

/** @throws SkillwireError if the configuration or the state cannot be read */
export async function deniedSkills(
  denial: Denial,
  { host, store, place }: Pick<CommandSession, 'host' | 'store' | 'place'>,
): Promise<readonly DeniedSkill[]> {
  const reading = await place();
  const { found } = reading;
  const known: KnownSkill[] = [
    ...(await host.approvals.list()).map(({ label, entry }) => ({ label, skill: { entry } })),
    ...(await storedSkills(store)),
    ...(await skillsOfFolders(reading)),
  ];
  const rules = createServingPolicy({ deny: [denial] });
  const denied = new Map<string, DeniedSkill>();
  for (const { label, skill } of known) {
    const facts = servingFacts(skill, { label, base: baseOf(label, found), digest: nodeDigest });
    const [path = ''] = facts.paths;
    if (rules.decide(facts).effect !== 'deny') continue;
    denied.set(path, { origin: label, path, contains: innerOf(skill, facts, rules) ?? null });
  }
  return [...denied.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The path of the denied skill inside, if the denial does not match the skill itself. */
function innerOf({ entry }: JudgedSkill, facts: ServingFacts, rules: ServingRules): string | undefined {
  const [path = ''] = facts.paths;
  const folders = nestedOf(entry).map((uri) => folderPath(uri).slice(folderPath(entry.uri).length + 1));
  const own = facts.files.filter((file) => !folders.some((folder) => file.path.startsWith(`${folder}/`)));
  const paths = facts.paths.filter((one) => !folders.some((folder) => one === `${path}/${folder}`));
  const { setDigest, contentDigest } = facts;
  if (rules.decide({ ...facts, setDigest, contentDigest, bytes: 0, files: own, paths }).effect === 'deny')
    return undefined;
  const inner = folders.find(
    (folder) =>
      rules.deniesPath(`${path}/${folder}`) ||
      facts.files.some((file) => file.path.startsWith(`${folder}/`) && rules.deniesFile(file) !== undefined),
  );
  return inner === undefined ? undefined : `${path}/${inner}`;
}

async function skillsOfFolders(reading: ReadingContext): Promise<readonly KnownSkill[]> {
  const known: KnownSkill[] = [];
  for (const { label, location, from, trust } of everyKnownOrigin(reading)) {
    if (location.kind !== 'folder' || from !== 'configuration' || trust.standing === 'untrusted') continue;
    const { kind: _, ...root } = location;
    const source = directorySource([root], { watch: false, cache: false });
    try {
      for await (const { skills } of source.list({})) for (const skill of skills) known.push({ label, skill });
    } finally {
      await source.close?.();
    }
  }
  return known;
}

/** An origin without a label keeps its URIs. */
function baseOf(label: string, found: JudgedOrigins | undefined): string {
  if (!isLabel(label)) return '';
  const prefix = found?.configuration.origins.find((origin) => origin.label === label)?.prefix;
  return prefix === undefined ? label : `${label}/${prefix}`;
}
