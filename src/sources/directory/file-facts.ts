/**
 * What is known about files on disk: digest, media type, and for a `SKILL.md` its frontmatter. Facts are kept with the stamp
 * of the file and made anew only when the stamp differs, so a change costs the reading of what changed. A file that was
 * younger than a step of the clock when it was read is read again, for a second change may have left the stamp as it was.
 */
import { createHash } from 'node:crypto';
import { limits } from '../../limits.ts';
import { type FrontmatterReading, readFrontmatter } from '../../skill/frontmatter.ts';
import { decodeUtf8, mediaTypeFromBytes, mediaTypeOf } from '../../skill/media-type.ts';
import { createSlices } from './disk-speed.ts';
import { type FileStamp, type ReadFault, sameStamp } from './file-stamp.ts';
import { beginsAsPrivateKey } from './publish-rules.ts';
import { type FileRead, readStable, readStamp } from './stable-read.ts';

export interface FileFacts {
  readonly stamp: FileStamp;
  /** Read so soon after its last change that the stamp proves nothing. */
  readonly young: boolean;
  readonly digest: string;
  readonly size: number;
  readonly executable: boolean;
  /** Where the name does not tell it. */
  readonly mediaType?: string;
  readonly isPrivateKey: boolean;
  /** Cannot cross one line of the stdio transport of common clients. */
  readonly overStdioLine: boolean;
  /** Of a `SKILL.md`. */
  readonly reading?: FrontmatterReading;
}

export interface FileFactsCache {
  /** The stamp of a file as it is now. */
  stamp(path: string): Promise<FileStamp | ReadFault>;
  facts(path: string, isSkillFile: boolean): Promise<FileFacts | ReadFault>;
  /** Reads the file anew and keeps the facts. */
  read(path: string, isSkillFile: boolean): Promise<{ bytes: Buffer; facts: FileFacts } | ReadFault>;
  /** True if the file has this digest, as far as its stamp can prove that. */
  isCurrent(path: string, digest: string): Promise<boolean>;
  /** Forgets all files but these. */
  retain(paths: ReadonlySet<string>): void;
  readonly size: number;
}

/** JSON around the content of a file in an answer; generous. */
const envelopeBytes = 4096;

function crossesStdio(path: string, bytes: Buffer): boolean {
  const limit = limits.stdio.lineBytes - envelopeBytes;
  // Text can grow sixfold when it is written as JSON ("\u0001"), so smaller files cannot reach the limit.
  if (bytes.length < limit / 6) return true;
  const text = decodeUtf8(bytes);
  if (text === undefined) return Math.ceil(bytes.length / 3) * 4 < limit;
  return Buffer.byteLength(JSON.stringify(text)) + path.length < limit;
}

function factsOf(path: string, { bytes, stamp, young }: FileRead, isSkillFile: boolean): FileFacts {
  return {
    stamp,
    young,
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    size: bytes.length,
    executable: stamp.executable,
    ...(mediaTypeOf(path) === undefined ? { mediaType: mediaTypeFromBytes(path, bytes) } : {}),
    isPrivateKey: beginsAsPrivateKey(bytes),
    overStdioLine: !crossesStdio(path, bytes),
    ...(isSkillFile ? { reading: readFrontmatter(bytes) } : {}),
  };
}

/** `isLocal` tells whether a file lies on a disk that may be read by synchronous calls. */
export function createFileFacts(isLocal: (path: string) => boolean): FileFactsCache {
  const kept = new Map<string, FileFacts>();
  const slots = createSlots(limits.scan.parallelReads);
  const slices = createSlices();
  const scratch = Buffer.allocUnsafeSlow(limits.scan.scratchBytes);

  /** Local work is done at once and gives way now and then; other work waits for one of the slots. */
  async function inTurn<T>(path: string, work: (local: boolean) => Promise<T>): Promise<T> {
    if (!isLocal(path)) return slots(() => work(false));
    const pause = slices.pause();
    if (pause !== undefined) await pause;
    return work(true);
  }

  async function read<T>(
    path: string,
    isSkillFile: boolean,
    buffer: { readonly scratch?: Buffer },
    result: (facts: FileFacts, bytes: Buffer) => T,
  ): Promise<T | ReadFault> {
    const maxBytes = limits.skill.bytes;
    const made = await inTurn(path, (local) =>
      readStable(path, { maxBytes, local, ...buffer }, (file) => {
        const facts = factsOf(path, file, isSkillFile);
        kept.set(path, facts);
        return { result: result(facts, file.bytes) };
      }),
    );
    if ('result' in made) return made.result;
    kept.delete(path);
    return made;
  }

  return {
    stamp: (path) => inTurn(path, (local) => readStamp(path, local)),
    async facts(path, isSkillFile) {
      const known = kept.get(path);
      if (known !== undefined && !known.young && (known.reading !== undefined || !isSkillFile)) {
        const stamp = await inTurn(path, (local) => readStamp(path, local));
        if ('fault' in stamp) return stamp;
        if (sameStamp(known.stamp, stamp)) return known;
      }
      return read(path, isSkillFile, { scratch }, (facts) => facts);
    },
    read: (path, isSkillFile) => read(path, isSkillFile, {}, (facts, bytes) => ({ bytes, facts })),
    async isCurrent(path, digest) {
      const known = kept.get(path);
      if (known === undefined || known.young || known.digest !== digest) return false;
      const stamp = await readStamp(path, isLocal(path));
      return !('fault' in stamp) && sameStamp(known.stamp, stamp);
    },
    retain(paths) {
      for (const path of kept.keys()) if (!paths.has(path)) kept.delete(path);
    },
    get size() {
      return kept.size;
    },
  };
}

/** Runs at most `count` pieces of work at a time, the others in order of arrival. */
function createSlots(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count;
  let waiting: (() => void)[] = [];
  let first = 0;
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free--;
    try {
      return await work();
    } finally {
      const next = waiting[first];
      if (next === undefined) {
        free++;
        waiting = [];
        first = 0;
      } else {
        first++;
        next();
      }
    }
  };
}
