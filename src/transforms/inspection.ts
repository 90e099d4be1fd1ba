/**
 * Reads the `SKILL.md` and the signature of skills, if a rule needs them: once per digest, or each time for dynamic skills. The number of
 * parallel reads is limited, and no decision waits for one, so a slow origin does not block others.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { KnownContent } from '../serving/known-content.ts';
import type { UnreadFiles } from '../serving/serving-state.ts';
import { sha256Digest } from '../skill/digest.ts';
import type { SkillEntry } from '../skill/entry.ts';
import { nestedOf } from '../skill/nested-skills.ts';
import type { SkillSource, SourceContext, SourceFile } from '../sources/skill-source.ts';

const encoder = new TextEncoder();

export interface InspectionOptions {
  readonly source: Pick<SkillSource, 'open'>;
  readonly known: KnownContent;
  /** Stored bytes, by digest. */
  bytes(digest: string): Promise<Uint8Array | undefined>;
  noteSignature(entry: SkillEntry, bytes: Uint8Array): Promise<void>;
}

/** A skill, and the files of it that rules need. */
export interface SkillToRead extends UnreadFiles {
  readonly entry: SkillEntry;
}

export function createInspection({ source, known, bytes, noteSignature }: InspectionOptions) {
  const running = new Map<string, Promise<void>>();

  async function readSkill({ entry, text, signature }: SkillToRead, context: SourceContext): Promise<void> {
    if (signature !== undefined) await readSignature(entry, signature, context);
    if (text) await readTexts(entry, context);
  }

  async function readSignature(entry: SkillEntry, uri: string, context: SourceContext): Promise<void> {
    const { resources } = entry;
    const promised = resources === 'dynamic' ? undefined : resources.find((file) => file.uri === uri)?.digest;
    const stored = promised === undefined ? undefined : await bytes(promised);
    const read = stored ?? (await source.open(uri, { ...context, maxBytes: limits.signing.bundleBytes }))?.bytes;
    if (read !== undefined) await noteSignature(entry, read);
  }

  async function readTexts(entry: SkillEntry, context: SourceContext): Promise<void> {
    const { uri, resources } = entry;
    if (resources === 'dynamic') return readOne(entry, uri, undefined, context);
    const texts = new Set([uri, ...nestedOf(entry)]);
    for (const file of resources)
      if (texts.has(file.uri) && known.textOf(file.uri, file.digest) === undefined)
        await readOne(entry, file.uri, file.digest, context);
  }

  async function readOne(
    entry: SkillEntry,
    uri: string,
    promised: string | undefined,
    context: SourceContext,
  ): Promise<void> {
    const stored = promised === undefined ? undefined : await bytes(promised);
    const file: SourceFile | undefined = stored === undefined ? await source.open(uri, context) : { bytes: stored };
    if (file === undefined) return;
    const sent = file.madeFrom === undefined ? undefined : await sha256Digest(encoder.encode(file.madeFrom));
    // Other bytes than promised say nothing about the promised ones, and are never served.
    known.note(entry, uri, file.bytes, await sha256Digest(file.bytes), sent);
  }

  function shared(skill: SkillToRead, context: SourceContext): Promise<void> {
    const { entry, text, signature } = skill;
    const files = entry.resources === 'dynamic' ? [] : entry.resources;
    const key = JSON.stringify([entry.uri, text, signature, files]);
    let reading = running.get(key);
    if (reading === undefined) {
      reading = readSkill(skill, context)
        .catch((error: unknown) => {
          // An origin that does not answer is retried later; until then the skill is not served.
          if (!(error instanceof SkillwireError)) throw error;
        })
        .finally(() => running.delete(key));
      running.set(key, reading);
    }
    return reading;
  }

  return {
    /** Reads the files of each that rules need. If that fails, its content stays unknown, and the skill is denied. */
    async read(skills: readonly SkillToRead[], context: SourceContext = {}): Promise<void> {
      const left = skills.values();
      const work = async (): Promise<void> => {
        for (const skill of left) await shared(skill, context);
      };
      await Promise.all(Array.from({ length: Math.min(limits.policy.parallelReads, skills.length) }, work));
    },
  };
}
