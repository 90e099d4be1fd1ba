/** The input for building and checking a static site: the current skills, and what the last build wrote. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { folderV01, folderV02 } from '../../dialects/well-known/index-places.ts';
import { SkillwireError } from '../../errors.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import { indexPage } from '../../surfaces/static-site/index-page.ts';
import { indexPlaceV01, indexPlaceV02, noJekyllPlace, pagePlace } from '../../surfaces/static-site/site-layout.ts';
import { createArtifacts, executableUris } from '../../surfaces/well-known-http/artifacts.ts';
import { createSiteDocuments } from '../../surfaces/well-known-http/site-documents.ts';
import type { SiteSkill } from '../../surfaces/well-known-http/site-plan.ts';
import { type ManifestSkill, manifestName, parseManifest, type SiteManifest } from './site-manifest.ts';
import { placesOfUnfinished, readUnfinished, type UnfinishedBuild } from './unfinished-build.ts';

export interface SiteStateOptions {
  /** Closed at the end. */
  readonly source: SkillSource;
  /** The folder of the site. */
  readonly out: string;
  /** Version of Skillwire; another version may pack the same files differently. */
  readonly version: string;
  /** URL of the site without a final slash. With it, the index has absolute artifact URLs. */
  readonly baseUrl?: string;
  /** Default `tar.gz`. */
  readonly archiveFormat?: ArchiveFormat;
  readonly signal?: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** @throws SkillwireError USAGE if the folder contains files that are not ours */
export function openSite(options: SiteStateOptions) {
  const { source, out, version, baseUrl, archiveFormat: format = 'tar.gz', now = Date.now } = options;
  const root = resolve(out);
  const unfinished = readUnfinished(root);
  const before = withUnfinished(readManifest(root, format, unfinished !== undefined), unfinished, now());
  const catalog = createCatalog(source, { cachedBytes: 0 });
  const artifacts = createArtifacts(catalog, { format, digest: nodeDigest, cacheBytes: 0 });
  const artifactBase = baseUrl === undefined ? {} : { artifactBase: `${baseUrl}/${folderV02}/` };
  const documents = createSiteDocuments(catalog, artifacts, { format, digest: nodeDigest, ...artifactBase });
  return {
    root,
    format,
    baseUrl,
    catalog,
    artifacts,
    documents,
    /** The manifest of the last finished build; empty if there is none. */
    before,
    /** The record of an interrupted build. The paths it may have written count as unpublished. */
    unfinished,
    /** True if a build wrote the page. */
    ownsPage: before.documents.has(pagePlace) || unfinished?.page === true,
    /** Digest over the current URIs, bytes and modes of a skill. */
    setDigest(skill: SkillRecord): string {
      const executable = executableUris(skill);
      const { resources } = skill.entry;
      let lines = `${version}\n`;
      for (const { uri, digest } of resources === 'dynamic' ? [] : resources) lines += `${uri} ${digest}\n`;
      return nodeDigest(Buffer.from(executable.length === 0 ? lines : `${lines}${[...executable].sort().join('\n')}`));
    },
  };
}

export type SiteState = ReturnType<typeof openSite>;

/** @param ours true if a build wrote there, finished or not */
function readManifest(root: string, format: ArchiveFormat, ours: boolean): SiteManifest {
  const file = join(root, manifestName);
  if (existsSync(file)) return parseManifest(readFileSync(file, 'utf8'), file);
  for (const folder of [folderV02, folderV01]) {
    if (ours || !existsSync(join(root, folder))) continue;
    throw new SkillwireError(
      'USAGE',
      `Cannot build a site in "${root}": "skillwire build" did not create its folder "${folder}". ` +
        'Remove that folder, or choose another one with --out.',
      { data: { folder: root } },
    );
  }
  return { format, skills: new Map(), documents: new Map(), absent: new Map() };
}

function withUnfinished(manifest: SiteManifest, unfinished: UnfinishedBuild | undefined, now: number): SiteManifest {
  if (unfinished === undefined) return manifest;
  const since = new Date(now).toISOString();
  const written = [...placesOfUnfinished(unfinished)].map((place) => [place, since] as const);
  return { ...manifest, absent: new Map([...written, ...manifest.absent]) };
}

/** Generates the indexes and pages for the current skills. */
export async function makeDocuments({ documents, baseUrl }: SiteState) {
  const index = await documents.v02();
  const page = indexPage({ skills: index.artifacts, baseUrl });
  const files = new Map<string, Uint8Array>([
    [indexPlaceV02, index.bytes],
    [indexPlaceV01, (await documents.v01()).bytes],
    [pagePlace, Buffer.from(page)],
    [noJekyllPlace, Buffer.alloc(0)],
  ]);
  return {
    snapshot: index.snapshot,
    /** Bytes by path. */
    files,
    findings: [...index.snapshot.findings, ...index.findings],
  };
}

/** The manifest row of a skill from the last build; `undefined` if the skill must be written again. */
export function asBuilt(
  { before, unfinished, format }: SiteState,
  published: SiteSkill,
  set: string,
): ManifestSkill | undefined {
  const { name, type, inV01 } = published;
  const old = before.skills.get(name);
  if (old === undefined || before.format !== format || unfinished?.skills.has(name) === true) return undefined;
  return old.set === set && old.inV01 === inV01 && old.type === type ? old : undefined;
}
