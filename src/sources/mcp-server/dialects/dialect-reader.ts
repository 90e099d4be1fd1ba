/**
 * The skills of a server that does not speak the final extension, in whichever older dialect it has (see `dialects/recognize.ts`
 * for the order). What it promises is held against what it sends, and no more is claimed than that: without digests a skill is
 * dynamic. A skill that no listing shows is found by the URI of its `SKILL.md`, if that is one.
 */
import { createBoundedCache } from '../../../async/bounded-cache.ts';
import { sharedWork } from '../../../async/shared-work.ts';
import type { DialectSkill } from '../../../dialects/dialect-skill.ts';
import type { RecognizeOptions, Verdict } from '../../../dialects/recognize.ts';
import type { SkillTemplate } from '../../../dialects/resource-templates/skill-templates.ts';
import type { Remark } from '../../../dialects/skills-extension/remark.ts';
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { tryParseResourceUri } from '../../../skill/resource-uri.ts';
import type { SourceContext, SourceFile, SourceSkill } from '../../skill-source.ts';
import type { TimedPage } from '../listing.ts';
import { RpcError } from '../wire.ts';
import { type AnsweredSkills, answeredSkills, unlistedSkill } from './answered-skills.ts';
import type { Ask, ReadOptions } from './ask.ts';
import { createCollections } from './collections.ts';
import { type Asked, type Interview, type Interviewed, interview } from './interview.ts';
import { listDialectSkills } from './list-skills.ts';
import { type ArchiveFiles, archivesOf, loadArchive } from './load-archive.ts';
import { loadNamed } from './load-named.ts';
import { loadText, type TextOptions } from './load-text.ts';
import type { Digest, LoadedSkill, LoadOptions } from './loaded-skill.ts';
import { type Siblings, siblingsOf } from './siblings.ts';

export interface DialectReaderOptions {
  readonly ask: Ask;
  readonly server: (signal: AbortSignal | undefined) => Promise<Interviewed>;
  readonly recognize: RecognizeOptions;
  readonly digest: Digest;
  readonly onRemark: (remark: Remark) => void;
}

export interface DialectReader {
  /** Gives pages away; true where the listing came to its end. `asked` is known already; `accept` may throw, and tells what was noticed before. */
  list(
    give: (page: TimedPage) => void,
    signal: AbortSignal,
    asked: Asked,
    accept: (verdict: Verdict) => readonly Remark[],
  ): Promise<boolean>;
  get(uri: string, context: SourceContext, asked: Asked): Promise<SourceSkill | undefined>;
  open(uri: string, context: SourceContext, asked: Asked): Promise<SourceFile | undefined>;
  /** Templates that stand beside the skills. */
  templates(context: SourceContext, asked: Asked): Promise<readonly SkillTemplate[]>;
  /** What the server was found to speak; undefined before it was asked. */
  verdict(): Verdict | undefined;
  clear(): void;
}

interface Known {
  readonly interview: Interview;
  readonly answered: AnsweredSkills;
  readonly siblings: Siblings;
  readonly freshUntil: number;
}

/** Dialects whose list promises something about the skills in it, so that it has to be read again to say what holds now. */
const promisingLists = new Set(['skill-index', 'skills-over-mcp']);

export function createDialectReader(options: DialectReaderOptions): DialectReader {
  const { ask, digest, onRemark } = options;
  const loaded = new Map<string, LoadedSkill>();
  const unpacked = createBoundedCache<string, ArchiveFiles>(limits.dialects.cachedBytes);
  const work = sharedWork('read the server', true);
  let known: Known | undefined;
  let readBytes = 0;
  const collections = createCollections(ask, () => known?.interview.capabilities);

  /** Asks what was spoken last time first: a server rarely changes its dialect. */
  async function inquire(asked: Asked, signal: AbortSignal | undefined): Promise<Known> {
    const server = await options.server(signal);
    const before = known?.interview.verdict;
    const hear = (recognize: RecognizeOptions): Promise<Interview> =>
      interview({ ask, server, recognize, asked, signal });
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

  function current({ signal, fresh }: SourceContext, asked: Asked): Promise<Known> {
    const renew = fresh === true && known !== undefined && promisingLists.has(known.answered.dialect);
    const usable = known !== undefined && !renew && known.freshUntil > performance.now();
    return usable && known !== undefined
      ? Promise.resolve(known)
      : work.run('inquire', signal, () => inquire(asked, undefined));
  }

  async function load(
    { answered, siblings }: Known,
    uri: string,
    skill: DialectSkill,
    { signal, listed }: { signal: AbortSignal | undefined; listed: boolean },
  ): Promise<LoadedSkill> {
    const dialect = answered.dialect === 'none' ? 'resource-list' : answered.dialect;
    const onBytes = (count: number): void => {
      readBytes += count;
    };
    const loading: LoadOptions = { ask, digest, dialect, uri, signal, onBytes, onRemark };
    const documents = answered.documents.get(skill.uri);
    const made = await loadAs(skill, { ...loading, documents, collections, siblings });
    const result = listed ? made : { ...made, skill: { ...made.skill, listed: false } };
    for (const remark of made.remarks) onRemark(remark);
    loaded.delete(uri);
    loaded.set(uri, result);
    return result;
  }

  async function loadAs(skill: DialectSkill, loading: TextOptions): Promise<LoadedSkill> {
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

  /** What is listed is loaded, what is not is tried. */
  async function find(uri: string, context: SourceContext, asked: Asked): Promise<LoadedSkill | undefined> {
    const { signal } = context;
    const now = await current(context, asked);
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

  /** The skill whose folder a URI lies in, the deepest one. */
  function ownerOf(uri: string, entries: Iterable<string>): string | undefined {
    let owner: string | undefined;
    for (const entry of entries) {
      const folder = entry.slice(0, entry.lastIndexOf('/') + 1);
      if (uri.startsWith(folder) && entry.length > (owner?.length ?? 0)) owner = entry;
    }
    return owner;
  }

  async function openOf(
    skill: LoadedSkill,
    entry: string,
    uri: string,
    read: ReadOptions,
  ): Promise<SourceFile | undefined> {
    const path = pathOf(entry, uri);
    const bytes = path === undefined ? undefined : await skill.file(path, read);
    return bytes === undefined ? undefined : { bytes, digest: await digest(bytes) };
  }

  return {
    async list(give, signal, asked, accept) {
      const now = await work.run('inquire', signal, () => inquire(asked, undefined));
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
    async get(uri, context, asked) {
      const found = await find(uri, context, asked);
      return found === undefined ? undefined : timed(found.skill);
    },
    async open(uri, context, asked) {
      const read = { maxBytes: context.maxBytes ?? limits.skill.bytes, signal: context.signal };
      const owner = ownerOf(uri, loaded.keys());
      const skill = owner === undefined ? undefined : loaded.get(owner);
      if (owner !== undefined && skill !== undefined) return openOf(skill, owner, uri, read);
      const { answered } = await current(context, asked);
      const listed = ownerOf(uri, answered.skills.keys()) ?? uri;
      const found = await find(listed, context, asked);
      return found === undefined ? undefined : openOf(found, listed, uri, read);
    },
    templates: async (context, asked) => (await current(context, asked)).answered.templates,
    verdict: () => known?.interview.verdict,
    clear() {
      loaded.clear();
      unpacked.clear();
      collections.clear();
      known = undefined;
    },
  };
}

/** These servers do not say how long and by whom their answers may be kept. */
function timed(skill: SourceSkill): SourceSkill {
  return { ...skill, ttlMs: limits.dialects.cachedMs, cacheScope: 'private' };
}

/** Whether a URI that nobody listed may be read: not where somebody has ruled out that plain resources are skills. */
function mayReadAny({ force, forbid = [] }: RecognizeOptions): boolean {
  return force !== 'skills-extension' && force !== 'sep-2076' && !forbid.includes('resource-list');
}

/** The decoded path of a file below the folder of its skill. */
function pathOf(entry: string, uri: string): string | undefined {
  const skill = tryParseResourceUri(entry);
  const file = tryParseResourceUri(uri);
  const root = skill?.segments.slice(0, -1) ?? [];
  if (skill === undefined || file?.scheme !== skill.scheme || file.segments.length <= root.length) return undefined;
  return root.every((segment, at) => file.segments[at] === segment)
    ? file.segments.slice(root.length).join('/')
    : undefined;
}
