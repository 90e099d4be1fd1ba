/**
 * Files of remote skills, fetched on demand and cached by digest (SEP-2640: H-37, H-38, H-65). The index maps a label and URI to a digest.
 * A blob counts for an origin only if the index names it for that label and URI. So no origin learns or uses another one's content (H-8,
 * H-9). Bytes are hashed again on each use (H-66). Local folders are not cached.
 *
 * If the cache cannot be read or written, one warning is sent and the origin is used instead.
 */
import { sharedWork } from '../../async/shared-work.ts';
import { reasonOf, SkillwireError, VerificationError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { JsonValue, SkillResource } from '../../skill/entry.ts';
import type { SourceContext } from '../../sources/skill-source.ts';
import type { Store } from '../../store/store.ts';
import { throwIfInterrupted } from '../discover/call-origin.ts';
import type { HostOrigin, Origins } from '../discover/origins.ts';
import type { FetchBudget } from '../load/fetch-budget.ts';
import { type CheckedBytes, checkBytes } from '../load/verify.ts';
import type { Warn } from '../warnings.ts';

export interface ContentCache {
  /** @throws VerificationError `size`, `digest`, `missing`, `contents`; SkillwireError of the origin */
  open(origin: HostOrigin, resource: SkillResource, options: OpenOptions): Promise<CheckedBytes>;
  /** Several files for a person, in the given order; files of a folder are read in one call. @throws as `open()` */
  openForPerson(
    origin: HostOrigin,
    resources: readonly SkillResource[],
    signal: AbortSignal | undefined,
  ): Promise<readonly CheckedBytes[]>;
  /** From the cache alone. */
  cached(label: string, resource: SkillResource): Promise<CheckedBytes | undefined>;
}

export interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** For review by a person: not counted, not cached. */
  readonly forPerson?: boolean;
}

export interface ContentCacheContext {
  readonly store: Pick<Store, 'blobs' | 'index'>;
  readonly origins: Origins;
  readonly budget: FetchBudget;
  readonly warn: Warn;
  /** Called after each added file with its size. */
  readonly onAdded: (bytes: number) => void;
}

/** Key in the index. */
export const contentKey = (label: string, uri: string): readonly string[] => ['content', label, uri];

export function createContentCache({ store, origins, budget, warn, onAdded }: ContentCacheContext): ContentCache {
  const inFlight = sharedWork('read a file of a skill');

  async function tolerant<T>(action: string, run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      const reason = reasonOf(error);
      warn({ code: 'cache-unusable', message: `Cannot ${action} the content cache; continuing without it: ${reason}` });
      return undefined;
    }
  }

  async function cached(label: string, resource: SkillResource): Promise<CheckedBytes | undefined> {
    const { uri, digest } = resource;
    const bytes = await tolerant('read', async () =>
      named(await store.index.get(contentKey(label, uri)), digest) ? store.blobs.get(digest) : undefined,
    );
    if (bytes === undefined) return undefined;
    try {
      return await checkBytes(resource, bytes);
    } catch (error) {
      if (!(error instanceof VerificationError)) throw error;
      warn({ code: 'cache-corrupt', message: `The cached copy of ${quoteText(uri)} is ignored: ${error.message}` });
      return undefined;
    }
  }

  async function keep(label: string, { uri, digest, bytes }: CheckedBytes): Promise<void> {
    const size = bytes.byteLength;
    const done = await tolerant('write', async () => {
      await store.blobs.put(digest, bytes);
      await store.index.set(contentKey(label, uri), { digest, size });
      return true;
    });
    if (done === true) onAdded(size);
  }

  async function fetchChecked(origin: HostOrigin, resource: SkillResource, signal: AbortSignal | undefined) {
    const { uri, size } = resource;
    const bytes = await fetchBytes(origins, origin, uri, { signal, maxBytes: size + 1, tooLarge: 'size' });
    return checkBytes(resource, bytes);
  }

  const opened: ContentCache = {
    cached,
    async openForPerson(origin, resources, signal) {
      const [first] = resources;
      if (first === undefined || !origin.local)
        return Promise.all(resources.map((resource) => opened.open(origin, resource, { signal, forPerson: true })));
      const more = resources.length === 1 ? '' : ` and ${resources.length - 1} more`;
      return origins.call(origin, { action: `read ${quoteText(first.uri)}${more}`, signal }, (context) =>
        Promise.all(
          resources.map(async (resource) => {
            const maxBytes = resource.size + 1;
            return checkBytes(resource, await openBytes(origin, resource.uri, { ...context, maxBytes }, 'size'));
          }),
        ),
      );
    },
    async open(origin, resource, { signal, forPerson = false }) {
      throwIfInterrupted(signal, `read ${quoteText(resource.uri)}`);
      if (origin.local) return fetchChecked(origin, resource, signal);
      const { label } = origin;
      if (forPerson) return (await cached(label, resource)) ?? fetchChecked(origin, resource, signal);
      return inFlight.run(JSON.stringify([label, resource.uri, resource.digest]), signal, async (own) => {
        const known = await cached(label, resource);
        if (known !== undefined) return known;
        budget.spend(label, resource.size);
        const checked = await fetchChecked(origin, resource, own);
        // An origin removed in the meantime must not be cached.
        if (origins.isCurrent(origin)) await keep(label, checked);
        return checked;
      });
    },
  };
  return opened;
}

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  readonly maxBytes: number;
  /** The reason to report for too many bytes. */
  readonly tooLarge: 'size' | 'limit';
}

/** Unchecked bytes from the origin. @throws VerificationError `missing`, `size`, `limit` */
export async function fetchBytes(
  origins: Origins,
  origin: HostOrigin,
  uri: string,
  { signal, maxBytes, tooLarge }: FetchOptions,
): Promise<Uint8Array> {
  const call = { action: `read ${quoteText(uri)}`, signal, maxBytes };
  return origins.call(origin, call, (context) => openBytes(origin, uri, { ...context, maxBytes }, tooLarge));
}

async function openBytes(
  { source, label }: HostOrigin,
  uri: string,
  context: SourceContext & { readonly maxBytes: number },
  tooLarge: FetchOptions['tooLarge'],
): Promise<Uint8Array> {
  const { maxBytes } = context;
  const large = (cause?: unknown): VerificationError =>
    new VerificationError(
      tooLarge,
      `Cannot use ${quoteText(uri)}: it is larger than allowed. Ask its author for a smaller file.`,
      {
        data: { uri, maxBytes },
        cause,
      },
    );
  let file: { readonly bytes: Uint8Array } | undefined;
  try {
    file = await source.open(uri, context);
  } catch (error) {
    const limited = error instanceof VerificationError ? error.reason === 'limit' : false;
    if (limited || (error instanceof SkillwireError && error.code === 'LIMIT_EXCEEDED')) throw large(error);
    throw error;
  }
  if (file === undefined)
    throw new VerificationError('missing', `Cannot read ${quoteText(uri)}: ${quoteText(label)} does not serve it.`, {
      data: { uri, label },
    });
  if (tooLarge === 'limit' && file.bytes.byteLength > maxBytes) throw large();
  return file.bytes;
}

function named(value: JsonValue | undefined, digest: string): boolean {
  return typeof value === 'object' && value !== null && 'digest' in value && value.digest === digest;
}
