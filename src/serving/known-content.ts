/**
 * What is known of the bytes of one origin: what the text of each file says, by digest, and which files of its dynamic skills have
 * been read. Every file is noted before it leaves, whatever rules are in force then. So a rule that comes later knows all that left
 * before, and judges it without reading it again.
 */
import { limits } from '../limits.ts';
import { type ReadText, readText } from '../policy/file-facts.ts';
import type { SkillEntry } from '../skill/entry.ts';
import { tryParseResourceUri } from '../skill/resource-uri.ts';

/** A file of a dynamic skill as it was read last. */
export interface ReadFile {
  readonly digest: string;
  readonly size: number;
  readonly text: ReadText;
  /** Digest of the text that it was made from. */
  readonly madeFrom?: string | undefined;
}

export interface ReadFiles {
  /** By URI. */
  readonly files: ReadonlyMap<string, ReadFile>;
  /** Bytes of files that were read, and are too many to be named. */
  readonly otherBytes: number;
}

export interface KnownContent {
  /** Undefined if no file with this name and digest has been noted. */
  textOf(uri: string, digest: string): ReadText | undefined;
  /** Of a dynamic skill. */
  filesRead(skillUri: string): ReadFiles;
  /** @param madeFrom digest of the text that the file was made from */
  note(entry: SkillEntry, uri: string, bytes: Uint8Array, digest: string, madeFrom?: string): void;
  /** Whether so much was noted that what is gone should be forgotten. */
  isDue(): boolean;
  /** Forgets what none of these has. */
  retain(entries: Iterable<SkillEntry>): void;
}

const none: ReadFiles = { files: new Map(), otherBytes: 0 };

export function createKnownContent(): KnownContent {
  const texts = new Map<string, ReadText>();
  let noted = 0;
  const read = new Map<string, { readonly files: Map<string, ReadFile>; otherBytes: number }>();

  function noteRead(skillUri: string, uri: string, file: ReadFile): void {
    const known = read.get(skillUri) ?? { files: new Map<string, ReadFile>(), otherBytes: 0 };
    read.set(skillUri, known);
    known.files.set(uri, file);
    if (known.files.size <= limits.skill.files) return;
    for (const [oldest, { size }] of known.files) {
      if (oldest === skillUri) continue;
      known.files.delete(oldest);
      known.otherBytes += size;
      return;
    }
  }

  return {
    textOf: (uri, digest) => texts.get(keyOf(uri, digest)),
    filesRead: (skillUri) => read.get(skillUri) ?? none,
    note({ uri: skillUri, resources }, uri, bytes, digest, madeFrom) {
      const key = keyOf(uri, digest);
      const text = texts.get(key) ?? readText(tryParseResourceUri(uri)?.path ?? uri, bytes);
      if (resources === 'dynamic') noteRead(skillUri, uri, { digest, size: bytes.length, text, madeFrom });
      else texts.set(key, text);
      noted++;
    },
    isDue: () => noted > limits.policy.notedFiles,
    retain(entries) {
      noted = 0;
      const keys = new Set<string>();
      const skills = new Set<string>();
      for (const { uri: skillUri, resources } of entries) {
        if (resources === 'dynamic') skills.add(skillUri);
        else for (const { uri, digest } of resources) keys.add(keyOf(uri, digest));
      }
      for (const key of texts.keys()) if (!keys.has(key)) texts.delete(key);
      for (const skillUri of read.keys()) if (!skills.has(skillUri)) read.delete(skillUri);
    },
  };
}

/** What a text says depends on what the file is called. */
function keyOf(uri: string, digest: string): string {
  return `${digest} ${uri.slice(uri.lastIndexOf('/') + 1)}`;
}
