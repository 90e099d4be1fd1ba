/**
 * Loads the skills of an index, each once per version. In v0.2 the version is the digest of the artifact: it is fetched once and verified,
 * and its files are cached within a limit. Evicted files are fetched and verified again. v0.1 has no versions: `session` fetches all files
 * with the skill and serves them from memory; `lazy` fetches only `SKILL.md` with it.
 */
import { createBoundedCache } from '../../async/bounded-cache.ts';
import { sharedWork } from '../../async/shared-work.ts';
import type { DecodedV02 } from '../../dialects/well-known/decode-index.ts';
import type { AsyncDigester } from '../../skill/digest.ts';
import { skillFileName } from '../../skill/entry.ts';
import type { Finding } from '../../skill/finding.ts';
import { skillFileUri } from '../../skill/skill-uri.ts';
import type { PartialManifest, SourceFile, SourceSkill } from '../skill-source.ts';
import {
  fetchArtifact,
  fetchFile,
  fetchListed,
  type ListedEarlySkill,
  type ListedFile,
  type SiteFetchOptions,
} from './fetch-files.ts';
import type { CachedAnswer, SiteHttp } from './site-http.ts';
import { type SkillOfFiles, skillHead, skillOfFiles } from './skill-of-files.ts';

/** When files of v0.1 are fetched. */
export type FetchWhen = 'session' | 'lazy';

export interface LoadedSiteSkill {
  readonly skill: SourceSkill;
  readonly findings: readonly Finding[];
  /** By `performance.now()`: when the skill must be reloaded even if its index is unchanged. */
  readonly freshUntil: number;
  /** `undefined` if the skill has no such file. */
  file(uri: string, signal: AbortSignal | undefined): Promise<SourceFile | undefined>;
}

export interface SiteSkillsOptions {
  readonly http: SiteHttp;
  readonly digest: AsyncDigester;
  /** Aborts all running work. */
  readonly ending: AbortSignal;
  readonly fetch: FetchWhen;
  /** Give skills without promised digests those of the fetched copy, for servers of that copy. */
  readonly ownDigests: boolean;
  /** Cache size for artifacts, and again for single files. */
  readonly cachedBytes: number;
  readonly onBytes: (count: number) => void;
}

interface Known {
  readonly version: string;
  readonly loaded: LoadedSiteSkill;
}

export function siteSkills(options: SiteSkillsOptions) {
  const { http, digest, ending, cachedBytes, onBytes } = options;
  const known = new Map<string, Known>();
  const unpacked = createBoundedCache<string, SkillOfFiles['files']>(cachedBytes);
  const answers = createBoundedCache<string, CachedAnswer>(cachedBytes);
  const work = sharedWork('read the site', true);
  const fetching: SiteFetchOptions = { http, digest, signal: ending, onBytes };
  const wantsAll = options.fetch === 'session' || options.ownDigests;

  async function fetchUnpacked(entry: DecodedV02): Promise<SkillOfFiles> {
    const made = await skillOfFiles(entry, await fetchArtifact(entry, fetching), digest);
    let bytes = 0;
    for (const file of made.files.values()) bytes += file.bytes.byteLength;
    unpacked.put(artifactVersion(entry), made.files, bytes);
    return made;
  }

  async function loadArtifact(entry: DecodedV02): Promise<LoadedSiteSkill> {
    const { skill: made, findings } = await fetchUnpacked(entry);
    const skill = entry.via === undefined ? made : { ...made, via: entry.via };
    const version = artifactVersion(entry);
    return {
      skill,
      findings,
      freshUntil: Number.POSITIVE_INFINITY,
      async file(uri, signal) {
        const { resources } = skill.entry;
        if (resources === 'dynamic' || !resources.some((resource) => resource.uri === uri)) return undefined;
        const files = unpacked.get(version) ?? (await work.run(version, signal, () => fetchUnpacked(entry))).files;
        return files.get(uri);
      },
    };
  }

  async function loadListed(entry: ListedEarlySkill, indexUrl: string, fresh: boolean): Promise<LoadedSiteSkill> {
    const hasDigests = entry.digest !== undefined || entry.files.some((file) => file.digest !== undefined);
    const wanted = wantsAll || hasDigests ? entry.files : entry.files.filter(({ path }) => path === skillFileName);
    const { files, findings, proved } = await fetchListed(entry, wanted, { ...fetching, answers, indexUrl, fresh });
    const head = skillHead(entry, files.get(skillFileName)?.bytes ?? new Uint8Array());
    const freshUntil = Math.min(...[...files.values()].map((answer) => answer.freshUntil));
    const named = entry.files.map((file) => ({ ...file, uri: skillFileUri(head.path, file.path) }));
    if (proved === 'all' || options.ownDigests) {
      const fetched = [...files].map(([path, { bytes }]) => ({ path, bytes }));
      const { skill } = await skillOfFiles(entry, fetched, digest);
      const present = named.filter(({ path }) => files.has(path));
      const file = fileOf(entry.name, present, indexUrl, true);
      return { skill, findings: [...findings, ...head.findings], freshUntil, file };
    }
    const partial: PartialManifest = {
      reason: 'no-digest',
      files: named.map(({ uri, digest: promised }) => (promised === undefined ? { uri } : { uri, digest: promised })),
    };
    const { uri, frontmatter } = head;
    return {
      skill: { entry: { uri, frontmatter, resources: 'dynamic' }, listed: true, partial, cacheScope: 'private' },
      findings: [...findings, ...head.findings],
      freshUntil,
      file: fileOf(entry.name, named, indexUrl, false),
    };
  }

  /** Returns the copy fetched for the session; requests any other file. */
  function fileOf(
    name: string,
    named: readonly (ListedFile & { readonly uri: string })[],
    indexUrl: string,
    withDigest: boolean,
  ): LoadedSiteSkill['file'] {
    const byUri = new Map(named.map((file) => [file.uri, file]));
    return async (uri, signal) => {
      const file = byUri.get(uri);
      if (file === undefined) return undefined;
      const cached = wantsAll ? answers.get(file.url) : undefined;
      const fetchOptions = { ...fetching, answers, indexUrl, fresh: false };
      const answer =
        cached ?? (await work.run(`file ${file.url}`, signal, () => fetchFile({ name }, file, fetchOptions)));
      if (answer === undefined) return undefined;
      return withDigest ? { bytes: answer.bytes, digest: await digest(answer.bytes) } : { bytes: answer.bytes };
    };
  }

  function remember(name: string, version: string, loaded: LoadedSiteSkill): LoadedSiteSkill {
    known.set(name, { version, loaded });
    return loaded;
  }

  return {
    artifact(entry: DecodedV02, signal: AbortSignal | undefined): Promise<LoadedSiteSkill> {
      const version = artifactVersion(entry);
      const before = known.get(entry.name);
      if (before?.version === version) return Promise.resolve(before.loaded);
      return work.run(`load ${version}`, signal, async () => remember(entry.name, version, await loadArtifact(entry)));
    },
    listed(
      entry: ListedEarlySkill,
      indexUrl: string,
      fresh: boolean,
      signal: AbortSignal | undefined,
    ): Promise<LoadedSiteSkill> {
      const version = `${indexUrl} ${JSON.stringify(entry)}`;
      const before = known.get(entry.name);
      const usable = before?.version === version && before.loaded.freshUntil > performance.now() && !fresh;
      if (usable) return Promise.resolve(before.loaded);
      return work.run(`load ${version}`, signal, async () =>
        remember(entry.name, version, await loadListed(entry, indexUrl, fresh)),
      );
    },
    /** The last loaded version, however old. */
    last: (name: string): LoadedSiteSkill | undefined => known.get(name)?.loaded,
    /** Removes skills that the index no longer names. */
    keepOnly(names: ReadonlySet<string>): void {
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    },
    clear(): void {
      known.clear();
      unpacked.clear();
      answers.clear();
    },
  };
}

function artifactVersion({ name, type, url, description, digest, via }: DecodedV02): string {
  return JSON.stringify([name, type, digest, description, url, via]);
}
