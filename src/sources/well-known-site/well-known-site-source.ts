/**
 * Serves the skills that a site publishes below `.well-known` (v0.2.0, v0.1 and the early v0.2 drafts). Files of v0.2
 * come from verified artifacts, so each has a digest. Version v0.1 promises nothing, so its entries say `"dynamic"`. An
 * entry that cannot be used, cannot be fetched or fails verification is refused alone, with its reason. After a digest
 * mismatch the index is requested once more, because the site may have renewed it meanwhile.
 *
 * All requests use the HTTP client passed in. Nothing is written to disk.
 */
import { sharedWork } from '../../async/shared-work.ts';
import { SkillwireError, VerificationError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { HttpClient } from '../../outbound/http-messages.ts';
import type { AsyncDigester } from '../../skill/digest.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { displayText } from '../../skill/display-text.ts';
import { sameJson } from '../../skill/json.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { HttpCredentials, TokenOption } from '../mcp-server/http-credentials.ts';
import type { SkillSource, SourceContext, SourceFile, SourceSkill, SourceStatus } from '../skill-source.ts';
import { findIndex, type SiteIndex } from './find-index.ts';
import { movedOrigin } from './site-errors.ts';
import { siteHttp } from './site-http.ts';
import { type IndexEntry, listSite } from './site-listing.ts';
import { type FetchWhen, type LoadedSiteSkill, siteSkills } from './site-skills.ts';

export interface WellKnownSiteOptions {
  /** The site, with or without a path; or its index file, to mean that one alone. */
  readonly url: string;
  readonly http: HttpClient;
  /**
   * When v0.1 files are fetched. `session`, the default, fetches all files of a skill with its entry, as the specification demands; `lazy`
   * fetches each file on request. Artifacts of v0.2 are always fetched with their entry.
   */
  readonly fetch?: FetchWhen;
  /** Sent only to the origin of the site. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: TokenOption;
  /** @internal a stored login */
  readonly credentials?: HttpCredentials;
  /** Per request. Default one minute. */
  readonly timeoutMs?: number;
  /** For servers of a copy: skills without promised digests get those of the fetched bytes. */
  readonly ownDigests?: boolean;
  /** How much one listing may fetch; later skills are available by URI. Default 200 MiB. */
  readonly listingBytes?: number;
  /** How many bytes of fetched files are cached in memory; others are fetched again on demand. Default 64 MiB. */
  readonly cachedBytes?: number;
  /** Computes `sha256:...`. Default: WebCrypto. */
  readonly digest?: AsyncDigester;
}

export interface WellKnownSiteSource extends SkillSource {
  status(context: SourceContext): Promise<SourceStatus>;
  close(): Promise<void>;
}

export function wellKnownSiteSource(options: WellKnownSiteOptions): WellKnownSiteSource {
  const { url: site, http: client, digest = sha256Digest, fetch = 'session', ownDigests = false } = options;
  const { listingBytes = limits.site.listingBytes, cachedBytes = limits.site.cachedBytes } = options;
  const ending = new AbortController();
  const name = client.check(site);
  const http = siteHttp({
    http: client,
    origin: new URL(site).origin,
    headers: options.headers,
    token: options.token,
    credentials: options.credentials,
    deadlineMs: options.timeoutMs ?? limits.origin.deadlineMs,
  });
  const work = sharedWork('read the site', true);
  let fetched = 0;
  const skills = siteSkills({
    http,
    digest,
    ending: ending.signal,
    fetch,
    ownDigests,
    cachedBytes,
    onBytes: (count) => {
      fetched += count;
    },
  });
  let known: SiteIndex | undefined;

  async function readIndex(): Promise<SiteIndex> {
    const found = await findIndex({ http, site, signal: ending.signal, known });
    const before = known === undefined ? undefined : new URL(known.answer.url).origin;
    const now = new URL(found.answer.url).origin;
    if (before !== undefined && before !== now) throw movedOrigin(site, before, now);
    known = found;
    skills.keepOnly(new Set(found.decoded.entries.map((entry) => entry.name)));
    return found;
  }

  /** The current index: cached for as long as the site allows, then revalidated or fetched again. */
  function currentIndex({ fresh, signal }: Pick<SourceContext, 'fresh' | 'signal'>): Promise<SiteIndex> {
    if (ending.signal.aborted)
      return Promise.reject(
        new SkillwireError('CLOSED', `Cannot read "${displayText(name)}": it is closed. Create a new one.`),
      );
    const usable = known !== undefined && fresh !== true && known.answer.freshUntil > performance.now();
    return usable && known !== undefined ? Promise.resolve(known) : work.run('index', signal, readIndex);
  }

  function load(index: SiteIndex, entry: IndexEntry, { fresh, signal }: SourceContext): Promise<LoadedSiteSkill> {
    if ('url' in entry) return skills.artifact(entry, signal);
    return skills.listed(entry, index.answer.url, fresh === true, signal);
  }

  /**
   * A verification failure may mean a renewed index, so the index is requested once more. If its entry is unchanged,
   * the failure stands.
   */
  async function loadNow(index: SiteIndex, entry: IndexEntry, context: SourceContext): Promise<LoadedSiteSkill> {
    try {
      return await load(index, entry, context);
    } catch (error) {
      if (!(error instanceof VerificationError)) throw error;
      const { signal } = context;
      const now = known === index ? await currentIndex({ fresh: true, signal }) : known;
      const renewed = now?.decoded.entries.find((other) => other.name === entry.name);
      if (now === undefined || renewed === undefined || sameJson(renewed, entry)) throw error;
      return load(now, renewed, context);
    }
  }

  /** Adds the cache lifetime and scope. */
  function timed({ skill, freshUntil }: LoadedSiteSkill, { answer }: SiteIndex): SourceSkill {
    const ttlMs = Math.max(0, Math.floor(Math.min(answer.freshUntil, freshUntil) - performance.now()));
    const isPrivate = http.authenticated || answer.isPrivate || skill.cacheScope === 'private';
    return { ...skill, ttlMs, cacheScope: isPrivate ? 'private' : skill.cacheScope };
  }

  /** Loads the skill of a URI, whose first segment is the name in the index. */
  async function loadByUri(
    uri: string,
    context: SourceContext,
  ): Promise<{ index: SiteIndex; loaded: LoadedSiteSkill } | undefined> {
    const [named] = tryParseSkillUri(uri)?.segments ?? [];
    if (named === undefined) return undefined;
    const index = await currentIndex(context);
    const entry = index.decoded.entries.find((other) => other.name === named);
    return entry === undefined ? undefined : { index, loaded: await loadNow(index, entry, context) };
  }

  /**
   * Opens a file of the version that was listed or loaded last, without requesting the index. If that version is gone,
   * opens the current one.
   */
  async function openFile(uri: string, context: SourceContext): Promise<SourceFile | undefined> {
    const [named = ''] = tryParseSkillUri(uri)?.segments ?? [];
    const last = context.fresh === true ? undefined : skills.last(named);
    if (last === undefined) return (await loadByUri(uri, context))?.loaded.file(uri, context.signal);
    try {
      return await last.file(uri, context.signal);
    } catch (error) {
      if (!(error instanceof VerificationError)) throw error;
      const now = await loadByUri(uri, { ...context, fresh: true });
      if (now === undefined || now.loaded === last) throw error;
      return now.loaded.file(uri, context.signal);
    }
  }

  return {
    name,
    watched: false,
    list: (context) =>
      listSite(
        {
          index: () => currentIndex(context),
          load: (index, entry) => loadNow(index, entry, context),
          timed,
          ownDigests,
          fetched: () => fetched,
          listingBytes,
        },
        context,
      ),
    async get(uri, context) {
      const found = await loadByUri(uri, context);
      return found?.loaded.skill.entry.uri === uri ? timed(found.loaded, found.index) : undefined;
    },
    async open(uri, context) {
      const file = await openFile(uri, context);
      const { maxBytes } = context;
      if (file !== undefined && maxBytes !== undefined && file.bytes.byteLength > maxBytes) {
        const message = `Cannot read "${displayText(uri)}": it has more than ${maxBytes} bytes.`;
        throw new SkillwireError('LIMIT_EXCEEDED', message, { data: { uri, maxBytes } });
      }
      return file;
    },
    async status(context) {
      const { answer, decoded } = await currentIndex(context);
      return { dialect: dialects[decoded.version], address: answer.url, skills: true, directoryRead: false };
    },
    async close() {
      ending.abort(new SkillwireError('CLOSED', `"${displayText(name)}" is closed.`));
      skills.clear();
      client.close();
    },
  };
}

const dialects = {
  '0.2.0': 'well-known 0.2.0',
  '0.1': 'well-known 0.1',
  'early-0.2': 'well-known 0.2 (early draft)',
} as const;
