/**
 * Reads the skills of a server without the final extension, in the older dialect that it speaks (see
 * `dialects/recognize.ts` for the order). Promised digests are verified and nothing more is claimed: a skill without
 * digests is dynamic. An unlisted skill is found by the URI of its `SKILL.md`.
 */
import { createBoundedCache } from '../../../async/bounded-cache.ts';
import { sharedWork } from '../../../async/shared-work.ts';
import type { DialectSkill } from '../../../dialects/dialect-skill.ts';
import type { DialectVerdict, RecognizeOptions } from '../../../dialects/recognize.ts';
import type { ParsedSkillTemplate } from '../../../dialects/resource-templates/skill-templates.ts';
import type { Remark } from '../../../dialects/skills-extension/remark.ts';
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import type { AsyncDigester } from '../../../skill/digest.ts';
import { tryParseResourceUri } from '../../../skill/resource-uri.ts';
import type { SourceContext, SourceFile, SourceSkill } from '../../skill-source.ts';
import type { TimedPage } from '../listing.ts';
import { RpcError } from '../wire.ts';
import { type AnsweredSkills, answeredSkills, unlistedSkill } from './answered-skills.ts';
import type { RequestServer, ResourceReadOptions } from './ask.ts';
import { createCollections } from './collections.ts';
import { type Interview, type Interviewed, interview, type ProbeHistory } from './interview.ts';
import { listDialectSkills } from './list-skills.ts';
import { type ArchiveFiles, archivesOf, loadArchive } from './load-archive.ts';
import { loadNamed, loadText, type Siblings, siblingsOf, type TextOptions } from './load-text.ts';
import type { DialectLoadOptions, LoadedDialectSkill } from './loaded-skill.ts';

export interface DialectReaderOptions {
  readonly ask: RequestServer;
  readonly server: (signal: AbortSignal | undefined) => Promise<Interviewed>;
  readonly recognize: RecognizeOptions;
  readonly digest: AsyncDigester;
  readonly onRemark: (remark: Remark) => void;
}

interface Known {
  readonly interview: Interview;
  readonly answered: AnsweredSkills;
  readonly siblings: Siblings;
  readonly freshUntil: number;
}

/** Dialects whose list promises digests, so that it must be read again for the current state. */
const promisingLists = new Set(['skill-index', 'skills-over-mcp']);

export function createDialectReader(options: DialectReaderOptions) {
  const { ask, digest, onRemark } = options;
  const loaded = new Map<string, LoadedDialectSkill>();
  const unpacked = createBoundedCache<string, ArchiveFiles>(limits.dialects.cachedBytes);
  const work = sharedWork('read the server', true);
  let known: Known | undefined;
  let readBytes = 0;
  const collections = createCollections(ask, () => known?.interview.capabilities);

  /** Tries the last dialect first: a server rarely changes it. */
  async function inquire(history: ProbeHistory, signal: AbortSignal | undefined): Promise<Known> {
    const server = await options.server(signal);
    const before = known?.interview.verdict;
    const hear = (recognize: RecognizeOptions): Promise<Interview> =>
      interview({ ask, server, recognize, history, signal });
    const again =
      before?.state === 'found' && before.dialect !== 'none' && options.recognize.force === undefined
        ? await hear({ ...options.recognize, force: before.dialect })
        : undefined;
    const heard = again?.verdict.state === 'found' ? again : await hear(options.recognize);
    if (before !== undefined && before.dialect !== heard.verdict.dialect) loaded.clear();
    known = {
      interview: heard,
      answered: answeredSkills(heard),
      siblings: siblingsOf(ask, heard),
      freshUntil: performance.now() + limits.dialects.cachedMs,
    };
    return known;
  }

  function current({ signal, fresh }: SourceContext, history: ProbeHistory): Promise<Known> {
    const renew = fresh === true && known !== undefined && promisingLists.has(known.answered.dialect);
    const usable = known !== undefined && !renew && known.freshUntil > performance.now();
    return usable && known !== undefined
      ? Promise.resolve(known)
      : work.run('inquire', signal, () => inquire(history, undefined));
  }

  async function load(
    { answered, siblings }: Known,
    uri: string,
    skill: DialectSkill,
    { signal, listed }: { signal: AbortSignal | undefined; listed: boolean },
  ): Promise<LoadedDialectSkill> {
    const dialect = answered.dialect === 'none' ? 'resource-list' : answered.dialect;
    const onBytes = (count: number): void => {
      readBytes += count;
    };
    const loading: DialectLoadOptions = { ask, digest, dialect, uri, signal, onBytes, onRemark };
    const documents = answered.documents.get(skill.uri);
    const made = await loadAs(skill, { ...loading, documents, collections, siblings });
    const result = listed ? made : { ...made, skill: { ...made.skill, listed: false } };
    for (const remark of made.remarks) onRemark(remark);
    loaded.delete(uri);
    loaded.set(uri, result);
    return result;
  }

  async function loadAs(skill: DialectSkill, loading: TextOptions): Promise<LoadedDialectSkill> {
    if (skill.retrievals.some(({ kind }) => kind === 'get-by-name')) return loadNamed(skill, loading);
    const unused: Remark[] = [];
    if (archivesOf(skill).length > 0) {
      const archive = await loadArchive(skill, { ...loading, unpacked });
      if ('skill' in archive) return archive;
      unused.push(...archive.unused);
    }
    const text = await loadText(skill, loading);
    return { ...text, remarks: [...unused, ...text.remarks] };
  }

  /** Loads a listed skill; tries an unlisted one. */
  async function find(
    uri: string,
    context: SourceContext,
    history: ProbeHistory,
  ): Promise<LoadedDialectSkill | undefined> {
    const { signal } = context;
    const now = await current(context, history);
    const listed = now.answered.skills.get(uri);
    if (listed !== undefined) return load(now, uri, listed, { signal, listed: true });
    const skill = mayReadAny(options.recognize) ? unlistedSkill(uri) : undefined;
    if (skill === undefined) return undefined;
    try {
      return await load(now, uri, skill, { signal, listed: false });
    } catch (error) {
      const none = error instanceof RpcError || (error instanceof SkillwireError && error.code === 'BAD_ANSWER');
      if (none) return undefined;
      throw error;
    }
  }

  /** The deepest skill whose folder contains a URI. */
  function ownerOf(uri: string, entries: Iterable<string>): string | undefined {
    let owner: string | undefined;
    for (const entry of entries) {
      const folder = entry.slice(0, entry.lastIndexOf('/') + 1);
      if (uri.startsWith(folder) && entry.length > (owner?.length ?? 0)) owner = entry;
    }
    return owner;
  }

  async function openOf(
    skill: LoadedDialectSkill,
    entry: string,
    uri: string,
    read: ResourceReadOptions,
  ): Promise<SourceFile | undefined> {
    const path = pathOf(entry, uri);
    const bytes = path === undefined ? undefined : await skill.file(path, read);
    return bytes === undefined ? undefined : { bytes, digest: await digest(bytes) };
  }

  return {
    /**
     * Emits pages; true if the listing is complete. `history` is already known; `accept` may throw, and returns earlier
     * remarks.
     */
    async list(
      give: (page: TimedPage) => void,
      signal: AbortSignal,
      history: ProbeHistory,
      accept: (verdict: DialectVerdict) => readonly Remark[],
    ): Promise<boolean> {
      const now = await work.run('inquire', signal, () => inquire(history, undefined));
      const { verdict } = now.interview;
      const remarks = accept(verdict);
      readBytes = 0;
      return listDialectSkills(
        {
          answered: now.answered,
          verdict,
          remarks,
          cut: now.interview.cut,
          load: (uri, skill) => load(now, uri, skill, { signal, listed: true }),
          timed,
          read: () => readBytes,
        },
        give,
        signal,
      );
    },
    async get(uri: string, context: SourceContext, history: ProbeHistory): Promise<SourceSkill | undefined> {
      const found = await find(uri, context, history);
      return found === undefined ? undefined : timed(found.skill);
    },
    async open(uri: string, context: SourceContext, history: ProbeHistory): Promise<SourceFile | undefined> {
      const read = { maxBytes: context.maxBytes ?? limits.skill.bytes, signal: context.signal };
      const owner = ownerOf(uri, loaded.keys());
      const skill = owner === undefined ? undefined : loaded.get(owner);
      if (owner !== undefined && skill !== undefined) return openOf(skill, owner, uri, read);
      const { answered } = await current(context, history);
      const listed = ownerOf(uri, answered.skills.keys()) ?? uri;
      const found = await find(listed, context, history);
      return found === undefined ? undefined : openOf(found, listed, uri, read);
    },
    /** Templates beside the skills. */
    templates: async (context: SourceContext, history: ProbeHistory): Promise<readonly ParsedSkillTemplate[]> =>
      (await current(context, history)).answered.templates,
    /** The dialect found; `undefined` before the first request. */
    verdict: (): DialectVerdict | undefined => known?.interview.verdict,
    clear(): void {
      loaded.clear();
      unpacked.clear();
      collections.clear();
      known = undefined;
    },
  };
}

/** These servers do not declare how long, and by whom, answers may be cached. */
function timed(skill: SourceSkill): SourceSkill {
  return { ...skill, ttlMs: limits.dialects.cachedMs, cacheScope: 'private' };
}

/** Whether an unlisted URI may be read: not if plain resources are ruled out as skills. */
function mayReadAny({ force, forbid = [] }: RecognizeOptions): boolean {
  return force !== 'skills-extension' && force !== 'sep-2076' && !forbid.includes('resource-list');
}

/** The decoded path of a file below its skill's folder. */
function pathOf(entry: string, uri: string): string | undefined {
  const skill = tryParseResourceUri(entry);
  const file = tryParseResourceUri(uri);
  const root = skill?.segments.slice(0, -1) ?? [];
  if (skill === undefined || file?.scheme !== skill.scheme || file.segments.length <= root.length) return undefined;
  return root.every((segment, at) => file.segments[at] === segment)
    ? file.segments.slice(root.length).join('/')
    : undefined;
}
