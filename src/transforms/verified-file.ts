/**
 * Serves files of an upstream only with the size and digest that their entry promises (sec:X-7). If other bytes arrive, the entry is
 * requested once more: if it changed, the new entry and the new bytes appear together. Otherwise the bytes are discarded. Concurrent
 * readers of one file share one fetch; a file without a digest is fetched for each reader.
 */
import { SkillwireError, VerificationError } from '../errors.ts';
import { sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import type { SkillResource } from '../skill/entry.ts';
import type { SourceContext, SourceFile, SourceSkill } from '../sources/skill-source.ts';
import type { UpstreamEntries } from './upstream-entries.ts';

/** Bytes by digest that outlive the process. The cache verifies them. */
export interface CachedBytes {
  get(digest: string): Promise<Uint8Array | undefined>;
  put(digest: string, bytes: Uint8Array): Promise<void>;
}

export interface VerifiedFilesOptions {
  readonly label: string;
  readonly entries: Pick<UpstreamEntries, 'around'>;
  readonly cache?: CachedBytes | undefined;
  readonly fetch: (uri: string, context: SourceContext) => Promise<SourceFile | undefined>;
  /** Requests the entry again and reports the change. */
  readonly renew: (skillUri: string) => Promise<SourceSkill | undefined>;
  readonly onMismatch: (reason: string) => void;
  /** Bytes could not be cached; they are served nevertheless. */
  readonly onCacheFailed: (error: Error) => void;
}

/** Without a size, only the digest is promised. */
type Promised = Pick<SkillResource, 'digest'> & Partial<Pick<SkillResource, 'size'>>;

type Fetched = { readonly file: SourceFile } | { readonly fault: string };

export function verifiedFiles(
  options: VerifiedFilesOptions,
): (uri: string, context: SourceContext) => Promise<SourceFile | undefined> {
  const { label, entries, cache, fetch, renew, onMismatch, onCacheFailed } = options;
  const inFlight = new Map<string, Promise<SourceFile | undefined>>();

  async function attempt(uri: string, { digest, size }: Promised): Promise<Fetched> {
    let file: SourceFile | undefined;
    try {
      file = await fetch(uri, { maxBytes: size });
    } catch (error) {
      if (error instanceof SkillwireError && error.code === 'LIMIT_EXCEEDED')
        return { fault: 'more bytes than promised' };
      if (error instanceof VerificationError) return { fault: error.message };
      throw error;
    }
    if (file === undefined) return { fault: 'no such file' };
    if (size !== undefined && file.bytes.length !== size)
      return { fault: `${file.bytes.length} bytes instead of ${size}` };
    const actual = file.digest ?? (await sha256Digest(file.bytes));
    return actual === digest ? { file: { ...file, digest } } : { fault: 'the digest does not match' };
  }

  async function fetchPromised(uri: string, skill: SourceSkill, promised: Promised): Promise<SourceFile | undefined> {
    const first = await attempt(uri, promised);
    const result = 'file' in first ? first : await again(uri, skill, promised, first.fault);
    if (result === undefined) return undefined;
    if ('file' in result) {
      store(result.file);
      return result.file;
    }
    onMismatch(`${quoteText(uri)}: ${result.fault}`);
    throw new VerificationError(
      'digest',
      `Cannot read a file of the origin ${quoteText(label)}: it does not match its entry.`,
      { data: { label } },
    );
  }

  /** Requests the current entry and the bytes that it promises. */
  async function again(uri: string, skill: SourceSkill, before: Promised, fault: string): Promise<Fetched | undefined> {
    const renewed = await renew(skill.entry.uri);
    if (renewed === undefined) return undefined;
    const now = promiseOf(renewed, uri);
    if (now === undefined) return renewed.entry.resources === 'dynamic' ? { fault } : undefined;
    if (now.digest === before.digest) return { fault };
    return attempt(uri, now);
  }

  /** Runs in the background. */
  function store({ digest, bytes }: SourceFile): void {
    if (cache === undefined || digest === undefined) return;
    cache.put(digest, bytes).catch((error: unknown) => {
      onCacheFailed(error instanceof Error ? error : new Error(String(error)));
    });
  }

  function shared(uri: string, skill: SourceSkill, promised: Promised): Promise<SourceFile | undefined> {
    const key = `${promised.digest} ${uri}`;
    let running = inFlight.get(key);
    if (running === undefined) {
      running = fetchPromised(uri, skill, promised).finally(() => inFlight.delete(key));
      inFlight.set(key, running);
    }
    return running;
  }

  return async (uri, context) => {
    const skill = entries.around(uri);
    const promised = skill === undefined ? undefined : promiseOf(skill, uri);
    if (skill === undefined || promised === undefined) {
      if (skill !== undefined && skill.entry.resources !== 'dynamic') return undefined;
      return fetch(uri, context);
    }
    const bytes = await cache?.get(promised.digest);
    if (bytes !== undefined) return { bytes, digest: promised.digest };
    return shared(uri, skill, promised);
  };
}

function promiseOf({ entry, partial }: SourceSkill, uri: string): Promised | undefined {
  if (entry.resources !== 'dynamic') return entry.resources.find((file) => file.uri === uri);
  const { digest, size } = partial?.files.find((file) => file.uri === uri) ?? {};
  return digest === undefined ? undefined : { digest, size };
}
