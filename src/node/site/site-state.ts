/** What building and checking a static site look at: the skills as they are, and what the last build wrote. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { folderV01, folderV02 } from '../../dialects/well-known/index-places.ts';
import { SkillwireError } from '../../errors.ts';
import type { Finding } from '../../skill/finding.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import { indexPage } from '../../surfaces/static-site/index-page.ts';
import { indexPlaceV01, indexPlaceV02, noJekyllPlace, pagePlace } from '../../surfaces/static-site/site-layout.ts';
import { type Artifacts, createArtifacts, executableUris } from '../../surfaces/well-known-http/artifacts.ts';
import { createSiteDocuments, type SiteDocuments } from '../../surfaces/well-known-http/site-documents.ts';
import type { PublishedSkill } from '../../surfaces/well-known-http/site-plan.ts';
import { type ManifestSkill, manifestName, parseManifest, type SiteManifest } from './site-manifest.ts';
import { placesOfUnfinished, readUnfinished, type UnfinishedBuild } from './unfinished-build.ts';

export interface SiteOptions {
  /** Closed when the work is done. */
  readonly source: SkillSource;
  /** The folder of the site. */
  readonly out: string;
  /** Version of Skillwire: another one may pack the same files into other bytes. */
  readonly version: string;
  /** Where the site will be, without a final slash; the index then names artifacts absolutely. */
  readonly baseUrl?: string;
  /** Default `tar.gz`. */
  readonly archiveFormat?: ArchiveFormat;
  readonly signal?: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface SiteState {
  readonly root: string;
  readonly format: ArchiveFormat;
  readonly baseUrl: string | undefined;
  readonly catalog: Catalog;
  readonly artifacts: Artifacts;
  readonly documents: SiteDocuments;
  /** Of the last build that was finished; empty where there was none. */
  readonly before: SiteManifest;
  /** What a build since then was writing that ended too early. Where it may have written is among what is absent. */
  readonly unfinished: UnfinishedBuild | undefined;
  /** Whether the page is one that a build has made. */
  readonly ownsPage: boolean;
  /** Digest over the URIs, bytes and modes that a skill has now. */
  setDigest(skill: SkillRecord): string;
}

export interface MadeDocuments {
  readonly snapshot: Snapshot;
  /** Bytes by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly findings: readonly Finding[];
}

/** @throws SkillwireError USAGE where the folder holds something that is not ours */
export function openSite(options: SiteOptions): SiteState {
  const { source, out, version, baseUrl, archiveFormat: format = 'tar.gz', now = Date.now } = options;
  const root = resolve(out);
  const unfinished = readUnfinished(root);
  const before = withUnfinished(readManifest(root, format, unfinished !== undefined), unfinished, now());
  const catalog = createCatalog(source, { keptBytes: 0 });
  const artifacts = createArtifacts(catalog, { format, digest: nodeDigest, keptBytes: 0 });
  const artifactBase = baseUrl === undefined ? {} : { artifactBase: `${baseUrl}/${folderV02}/` };
  const documents = createSiteDocuments(catalog, artifacts, { format, digest: nodeDigest, ...artifactBase });
  return {
    root,
    format,
    baseUrl,
    catalog,
    artifacts,
    documents,
    before,
    unfinished,
    ownsPage: before.documents.has(pagePlace) || unfinished?.page === true,
    setDigest(skill) {
      const executable = executableUris(skill);
      const { resources } = skill.entry;
      let lines = `${version}\n`;
      for (const { uri, digest } of resources === 'dynamic' ? [] : resources) lines += `${uri} ${digest}\n`;
      return nodeDigest(Buffer.from(executable.length === 0 ? lines : `${lines}${[...executable].sort().join('\n')}`));
    },
  };
}

/** @param ours something was built there, finished or not */
function readManifest(root: string, format: ArchiveFormat, ours: boolean): SiteManifest {
  const file = join(root, manifestName);
  if (existsSync(file)) return parseManifest(readFileSync(file, 'utf8'), file);
  for (const folder of [folderV02, folderV01]) {
    if (ours || !existsSync(join(root, folder))) continue;
    throw new SkillwireError(
      'USAGE',
      `cannot build a site in "${root}": it has a folder "${folder}" that "skillwire build" did not make; ` +
        'remove that folder, or name another one with --out',
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

/** Indexes and pages, as they have to be now. */
export async function makeDocuments({ documents, baseUrl }: SiteState): Promise<MadeDocuments> {
  const index = await documents.v02();
  const page = indexPage({ skills: index.artifacts, baseUrl });
  const files = new Map<string, Uint8Array>([
    [indexPlaceV02, index.bytes],
    [indexPlaceV01, (await documents.v01()).bytes],
    [pagePlace, Buffer.from(page)],
    [noJekyllPlace, Buffer.alloc(0)],
  ]);
  return { snapshot: index.snapshot, files, findings: [...index.snapshot.findings, ...index.findings] };
}

/** What the last build wrote of a skill, if that is what it has to be now. */
export function asBuilt(
  { before, unfinished, format }: SiteState,
  published: PublishedSkill,
  set: string,
): ManifestSkill | undefined {
  const { name, type, inV01 } = published;
  const old = before.skills.get(name);
  if (old === undefined || before.format !== format || unfinished?.skills.has(name) === true) return undefined;
  return old.set === set && old.inV01 === inV01 && old.type === type ? old : undefined;
}
