/**
 * Skills of folders as one listing has them. A folder is listed by reading it, and an answer about one skill waits until the folder
 * rests: to ask about two hundred skills one by one would read and wait two hundred times.
 */
import type { DiscoveredSkill, SkillAddress } from '../host/discover/discovered-skill.ts';
import type { Host } from '../host/host.ts';
import { type CapturedEntry, captureEntry } from '../host/load/capture.ts';

/** Those of the skills that are in a folder and listed there, in the place of their addresses; the others as they are given. */
export async function asListed(
  host: Host,
  skills: readonly SkillAddress[],
  signal?: AbortSignal,
): Promise<readonly (SkillAddress | DiscoveredSkill)[]> {
  const asked = new Set(skills.map(({ label }) => label));
  const labels = host.origins
    .list()
    .filter(({ label, local }) => local === true && asked.has(label))
    .map(({ label }) => label);
  if (labels.length === 0) return skills;
  const listed = new Map<string, DiscoveredSkill>();
  for (const skill of (await host.discover({ labels, signal })).skills) listed.set(keyOf(skill), skill);
  return skills.map((skill) => listed.get(keyOf(skill)) ?? skill);
}

/** Of a folder; undefined where the origin has to be asked. */
export async function heldAsListed(
  host: Host,
  skill: SkillAddress | DiscoveredSkill,
): Promise<CapturedEntry | undefined> {
  if (!('entry' in skill) || !skill.verifiable) return undefined;
  const origin = host.origins.get(skill.label);
  return origin?.local === true ? captureEntry(origin, skill.uri, skill) : undefined;
}

function keyOf({ label, uri }: SkillAddress): string {
  return JSON.stringify([label, uri]);
}
