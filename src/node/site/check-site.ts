/** Checks whether a static site is up to date. Reads every file of the site, and writes nothing. */
import { SkillwireError } from '../../errors.ts';
import type { Finding } from '../../skill/finding.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import { pagePlace, placesOfArchive, placesOfFile } from '../../surfaces/static-site/site-layout.ts';
import { openSiteFolder, type SiteFolder } from './site-folder.ts';
import type { ManifestSkill } from './site-manifest.ts';
import { asBuilt, makeDocuments, openSite, type SiteState, type SiteStateOptions } from './site-state.ts';

export interface SiteCheck {
  readonly skills: number;
  /** The changes that a build would make, as phrases; empty if the site is up to date. */
  readonly stale: readonly string[];
  /** True if files of unchanged skills are damaged: only a full build rewrites them. */
  readonly damaged: boolean;
  readonly findings: readonly Finding[];
}

export async function checkSite(options: SiteStateOptions): Promise<SiteCheck> {
  try {
    const state = openSite(options);
    return await check(state, openSiteFolder(state.root), options.signal);
  } finally {
    await options.source.close?.();
  }
}

async function check(state: SiteState, folder: SiteFolder, signal: AbortSignal | undefined): Promise<SiteCheck> {
  const { artifacts, before, catalog, documents } = state;
  const { findings } = await catalog.snapshot({ signal });
  const plan = await documents.plan();
  const stale = state.unfinished === undefined ? [] : ['the last build did not finish'];
  let damaged = false;
  for (const published of plan.skills) {
    signal?.throwIfAborted();
    const { name, skill } = published;
    const old = asBuilt(state, published, state.setDigest(skill));
    if (old === undefined) stale.push(`the skill "${name}" ${before.skills.has(name) ? 'changed' : 'is new'}`);
    else {
      if (old.artifact !== undefined) artifacts.remember(skill, old.artifact);
      const digests = new Map([...skill.files].map(([path, { resource }]) => [path, resource?.digest]));
      const changed = changedFiles(folder, old, digests, state);
      if (changed.length > 0) damaged = true;
      stale.push(...changed);
    }
  }
  for (const name of before.skills.keys())
    if (!plan.byName.has(name)) stale.push(`the skill "${name}" is no longer published`);
  if (stale.length > 0)
    return { skills: plan.skills.length, stale, damaged, findings: [...findings, ...plan.findings] };
  const made = await makeDocuments(state);
  for (const [place, bytes] of made.files) {
    // A page that we did not write is not touched.
    if (place === pagePlace && !state.ownsPage && folder.size(place) !== undefined) continue;
    stale.push(...changedFile(folder, place, nodeDigest(bytes)));
  }
  if (made.snapshot !== (await catalog.snapshot({ signal })))
    throw new SkillwireError('UNSTABLE', 'Cannot check the site: skills changed meanwhile. Try again.');
  return { skills: plan.skills.length, stale, damaged, findings: made.findings };
}

function changedFiles(
  folder: SiteFolder,
  skill: ManifestSkill,
  digests: ReadonlyMap<string, string | undefined>,
  { format }: SiteState,
): readonly string[] {
  return [
    ...skill.files.flatMap((path) =>
      placesOfFile(skill, path, format).flatMap((place) => changedFile(folder, place, digests.get(path))),
    ),
    ...placesOfArchive(skill, format).flatMap((place) => changedFile(folder, place, skill.artifact?.digest)),
  ];
}

function changedFile(folder: SiteFolder, place: string, digest: string | undefined): readonly string[] {
  const bytes = folder.read(place);
  if (bytes === undefined) return [`the file "${place}" is missing`];
  return nodeDigest(bytes) === digest ? [] : [`the file "${place}" has changed`];
}
