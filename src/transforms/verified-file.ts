/**
 * Files of an upstream, each only with the size and digest that its entry promises (sec:X-7). Where other bytes come, the upstream
 * is asked for the entry once: it may have been renewed, and then the new entry and the new bytes appear together. Otherwise the
 * bytes go nowhere. Readers of one file at the same time share one fetch; what has no digest is fetched for each reader.
 */
import { SkillwireError, VerificationError } from '../errors.ts';
import { sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import type { SourceContext, SourceFile, SourceSkill } from '../sources/skill-source.ts';
import type { UpstreamEntries } from './upstream-entries.ts';

/** Bytes by digest that are kept beyond the process, each verified by whoever keeps them. */
export interface KeptBytes {
  get(digest: string): Promise<Uint8Array | undefined>;
  put(digest: string, bytes: Uint8Array): Promise<void>;
}

export interface VerifiedFilesOptions {
  readonly label: string;
  readonly entries: Pick<UpstreamEntries, 'around'>;
  readonly kept?: KeptBytes | undefined;
  readonly fetch: (uri: string, context: SourceContext) => Promise<SourceFile | undefined>;
  /** Takes the entry anew and tells of it. */
  readonly renew: (skillUri: string) => Promise<SourceSkill | undefined>;
  readonly onMismatch: (reason: string) => void;
  /** Bytes could not be kept; they are handed out all the same. */
  readonly onKeepFailed: (error: Error) => void;
}

interface Promised {
  readonly digest: string;
  /** Absent where only the digest is promised. */
  readonly size?: number;
}

type Fetched = { readonly file: SourceFile } | { readonly fault: string };

export function verifiedFiles(
  options: VerifiedFilesOptions,
): (uri: string, context: SourceContext) => Promise<SourceFile | undefined> {
  const { label, entries, kept, fetch, renew, onMismatch, onKeepFailed } = options;
  const inFlight = new Map<string, Promise<SourceFile | undefined>>();

  async function attempt(uri: string, { digest, size }: Promised): Promise<Fetched> {
    let file: SourceFile | undefined;
    try {
      file = await fetch(uri, size === undefined ? {} : { maxBytes: size });
    } catch (error) {
      if (error instanceof SkillwireError && error.code === 'LIMIT_EXCEEDED')
        return { fault: 'more bytes than promised' };
      if (error instanceof VerificationError) return { fault: error.message };
      throw error;
    }
    if (file === undefined) return { fault: 'no such file' };
    if (size !== undefined && file.bytes.length !== size)
      return { fault: `${file.bytes.length} bytes where ${size} were promised` };
    const actual = file.digest ?? (await sha256Digest(file.bytes));
    return actual === digest ? { file: { ...file, digest } } : { fault: 'other bytes than promised' };
  }

  async function fetchPromised(uri: string, skill: SourceSkill, promised: Promised): Promise<SourceFile | undefined> {
    const first = await attempt(uri, promised);
    const result = 'file' in first ? first : await again(uri, skill, promised, first.fault);
    if (result === undefined) return undefined;
    if ('file' in result) {
      keep(result.file);
      return result.file;
    }
    onMismatch(`${quoteText(uri)}: ${result.fault}`);
    throw new VerificationError(
      'digest',
      `cannot read a file of the origin ${quoteText(label)}: it serves something else than its entry promises, so it is not passed on`,
      { data: { label } },
    );
  }

  /** The entry as it is now, and the bytes that it promises. */
  async function again(uri: string, skill: SourceSkill, before: Promised, fault: string): Promise<Fetched | undefined> {
    const renewed = await renew(skill.entry.uri);
    if (renewed === undefined) return undefined;
    const now = promiseOf(renewed, uri);
    if (now === undefined) return renewed.entry.resources === 'dynamic' ? { fault } : undefined;
    if (now.digest === before.digest) return { fault };
    return attempt(uri, now);
  }

  /** Nobody waits for it. */
  function keep({ digest, bytes }: SourceFile): void {
    if (kept === undefined || digest === undefined) return;
    kept.put(digest, bytes).catch((error: unknown) => {
      onKeepFailed(error instanceof Error ? error : new Error(String(error)));
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
    const bytes = await kept?.get(promised.digest);
    if (bytes !== undefined) return { bytes, digest: promised.digest };
    return shared(uri, skill, promised);
  };
}

function promiseOf({ entry, partial }: SourceSkill, uri: string): Promised | undefined {
  if (entry.resources !== 'dynamic') return entry.resources.find((file) => file.uri === uri);
  const { digest, size } = partial?.files.find((file) => file.uri === uri) ?? {};
  return digest === undefined ? undefined : { digest, size };
}
