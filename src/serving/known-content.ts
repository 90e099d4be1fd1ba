/**
 * Remembers facts about the files of one origin: facts about each text, by digest, and the files of its dynamic skills
 * that were read. Every file is noted before it leaves, regardless of the current rules. So a later rule can judge all
 * files that left before without reading them again.
 */
import { limits } from '../limits.ts';
import { type ReadText, readText } from '../policy/file-facts.ts';
import type { SkillEntry } from '../skill/entry.ts';
import { tryParseResourceUri } from '../skill/resource-uri.ts';

/** A file of a dynamic skill as it was last read. */
export interface KnownContentFile {
  readonly digest: string;
  readonly size: number;
  readonly text: ReadText;
  /** Digest of the text that the file was made from. */
  readonly madeFrom?: string | undefined;
}

export interface KnownContentFiles {
  /** By URI. */
  readonly files: ReadonlyMap<string, KnownContentFile>;
  /** Total size of files that were read and are too many to list. */
  readonly otherBytes: number;
}

export interface KnownContent {
  /** `undefined` if no file with this name and digest was noted. */
  textOf(uri: string, digest: string): ReadText | undefined;
  /** Files of a dynamic skill that were read. */
  filesRead(skillUri: string): KnownContentFiles;
  /** @param madeFrom digest of the text that the file was made from */
  note(entry: SkillEntry, uri: string, bytes: Uint8Array, digest: string, madeFrom?: string): void;
  /** True if so much was noted that facts about removed files should be forgotten. */
  isDue(): boolean;
  /** Forgets everything that none of these skills has. */
  retain(entries: Iterable<SkillEntry>): void;
}

const none: KnownContentFiles = { files: new Map(), otherBytes: 0 };

export function createKnownContent(): KnownContent {
  const texts = new Map<string, ReadText>();
  let noted = 0;
  const read = new Map<string, { readonly files: Map<string, KnownContentFile>; otherBytes: number }>();

  function noteRead(skillUri: string, uri: string, file: KnownContentFile): void {
    const known = read.get(skillUri) ?? { files: new Map<string, KnownContentFile>(), otherBytes: 0 };
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

/** The facts about a text depend on the name of its file. */
function keyOf(uri: string, digest: string): string {
  return `${digest} ${uri.slice(uri.lastIndexOf('/') + 1)}`;
}
