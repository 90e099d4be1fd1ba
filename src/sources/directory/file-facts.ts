/**
 * Facts about files on disk: digest, media type, and the frontmatter of a `SKILL.md`. Facts are cached with the file's
 * stamp and renewed only when the stamp differs, so only changed files are read. A file read within
 * one clock step of its last change is read again, because a second change may have left the stamp unchanged.
 */
import crypto from 'node:crypto';
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts';
import { createSlices } from '../../async/slices.ts';
import { limits } from '../../limits.ts';
import { sha256DigestWith } from '../../skill/digest.ts';
import { type FrontmatterReading, readFrontmatter } from '../../skill/frontmatter.ts';
import { decodeUtf8, mediaTypeFromBytes, mediaTypeOf } from '../../skill/media-type.ts';
import { type FileStamp, type ReadFault, sameStamp } from './file-stamp.ts';
import { beginsAsPrivateKey } from './publish-rules.ts';
import { type FileRead, readStable, readStamp } from './stable-read.ts';

export interface StampedFile extends FileStamp {
  /** Read so soon after its last change that the stamp proves nothing. */
  readonly young: boolean;
  /** Read so long after its last change that the stamp can be cached on disk. */
  readonly settled: boolean;
  readonly digest: string;
  /** If the name does not imply it. */
  readonly mediaType: string | undefined;
  readonly isPrivateKey: boolean;
  /** Does not fit in one line of the stdio transport of common clients. */
  readonly overStdioLine: boolean;
  /** Of a `SKILL.md`. */
  readonly reading: FrontmatterReading | undefined;
}

/** A file and its known facts. */
export interface KnownFile {
  readonly real: string;
  /** On a disk that allows synchronous calls. */
  readonly local: boolean;
  /** Its facts can be cached for the next run. */
  readonly direct: boolean;
  facts: StampedFile | undefined;
}

export interface FileReader {
  /** The file's current stamp. */
  stamp(file: KnownFile): MaybePromise<FileStamp | ReadFault>;
  /** The known facts if the stamp is unchanged; else reads the file. */
  facts(file: KnownFile, isSkillFile: boolean): MaybePromise<StampedFile | ReadFault>;
  /** Reads the file and renews its facts. */
  read(file: KnownFile, isSkillFile: boolean): MaybePromise<{ bytes: Buffer; facts: StampedFile } | ReadFault>;
  /** True if the file has this digest, as far as its stamp can prove that. */
  isCurrent(file: KnownFile, digest: string): MaybePromise<boolean>;
}

/** JSON around the content of a file in an answer; generous. */
const envelopeBytes = 4096;

function crossesStdio(path: string, bytes: Buffer): boolean {
  const limit = limits.stdio.lineBytes - envelopeBytes;
  // Text can grow sixfold as JSON ("\u0001"), so smaller files cannot reach the limit.
  if (bytes.length < limit / 6) return true;
  const text = decodeUtf8(bytes);
  if (text === undefined) return Math.ceil(bytes.length / 3) * 4 < limit;
  return Buffer.byteLength(JSON.stringify(text)) + path.length < limit;
}

/** The facts about bytes from any source. @param before facts that may describe the same bytes */
export function factsOf(
  path: string,
  { bytes, stamp, young, settled }: FileRead,
  isSkillFile: boolean,
  before?: StampedFile,
): StampedFile {
  const { size, mtimeMs, ctimeMs, ino, executable, hardLinked } = stamp;
  const digest = sha256DigestWith(crypto, bytes);
  if (before?.digest === digest && (before.reading !== undefined || !isSkillFile)) {
    // Reuses the object, so that a skill made of it is known to be unchanged.
    if (sameStamp(before, stamp) && before.young === young && before.settled === settled) return before;
    return { ...before, size, mtimeMs, ctimeMs, ino, executable, hardLinked, young, settled };
  }
  // Field by field: spread objects take a kilobyte each, and there is one for every file.
  return {
    size,
    mtimeMs,
    ctimeMs,
    ino,
    executable,
    hardLinked,
    young,
    settled,
    digest,
    mediaType: mediaTypeOf(path) === undefined ? mediaTypeFromBytes(path, bytes) : undefined,
    isPrivateKey: beginsAsPrivateKey(bytes),
    overStdioLine: !crossesStdio(path, bytes),
    reading: isSkillFile ? readFrontmatter(bytes) : undefined,
  };
}

/** Whether the same facts were already cacheable. */
function wasCached(before: StampedFile | undefined, now: StampedFile): boolean {
  return before?.settled === true && before.digest === now.digest && sameStamp(before, now);
}

/** Receives bytes read for facts. They are valid until it returns; copy them to use them longer. */
export type OnRead = (digest: string, bytes: Uint8Array) => void;

/** `onNews` is called for each file with new facts worth caching. */
export function createFileReader(onNews: () => void = () => {}, onRead?: OnRead): FileReader {
  const slots = createSlots(limits.scan.parallelReads);
  const slices = createSlices();
  const scratch = Buffer.allocUnsafeSlow(limits.scan.scratchBytes);

  /** Local work runs at once and yields now and then; other work waits for a slot. */
  function inTurn<T>({ local }: KnownFile, work: () => MaybePromise<T>): MaybePromise<T> {
    if (!local) return slots(async () => work());
    const pause = slices.pause();
    return pause === undefined ? work() : pause.then(work);
  }

  function read<T>(
    file: KnownFile,
    isSkillFile: boolean,
    buffer: Buffer | undefined,
    result: (facts: StampedFile, bytes: Buffer) => T,
  ): MaybePromise<T | ReadFault> {
    const { real, local, facts: before } = file;
    const take = (made: FileRead): T => {
      const facts = factsOf(real, made, isSkillFile, before);
      file.facts = facts;
      if (facts.settled && file.direct && !wasCached(before, facts)) onNews();
      return result(facts, made.bytes);
    };
    file.facts = undefined;
    const found = before?.young === false ? before : undefined;
    return readStable(real, { maxBytes: limits.skill.bytes, local, scratch: buffer, found }, take);
  }

  const itself = (facts: StampedFile, bytes: Buffer): StampedFile => {
    onRead?.(facts.digest, bytes);
    return facts;
  };

  function factsNow(file: KnownFile, isSkillFile: boolean): MaybePromise<StampedFile | ReadFault> {
    const known = file.facts;
    if (known === undefined || known.young || (isSkillFile && known.reading === undefined))
      return read(file, isSkillFile, scratch, itself);
    return andThen(readStamp(file.real, file.local), (stamp) => {
      if ('fault' in stamp) return stamp;
      return sameStamp(known, stamp) ? known : read(file, isSkillFile, scratch, itself);
    });
  }

  return {
    stamp: (file) => inTurn(file, () => readStamp(file.real, file.local)),
    facts: (file, isSkillFile) => inTurn(file, () => factsNow(file, isSkillFile)),
    read: (file, isSkillFile) =>
      inTurn(file, () => read(file, isSkillFile, undefined, (facts, bytes) => ({ bytes, facts }))),
    isCurrent(file, digest) {
      const known = file.facts;
      if (known === undefined || known.young || known.digest !== digest) return false;
      return andThen(readStamp(file.real, file.local), (stamp) => !('fault' in stamp) && sameStamp(known, stamp));
    },
  };
}

/** Runs at most `count` jobs at a time, in order of arrival. */
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
