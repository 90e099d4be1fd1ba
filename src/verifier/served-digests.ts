/**
 * The content that an origin really serves, as digests: every file of every listed skill is read and hashed, whatever the wire promises. Only
 * names and digests are stored. A skill that cannot be read completely is reported with the reason; it does not count as missing.
 */

import { inParallel } from '../async/in-parallel.ts';
import type { DecodedSkill } from '../dialects/skills-extension/decode-entry.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Digester } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import { sortedJson } from '../skill/json.ts';
import { tryParseResourceUri } from '../skill/resource-uri.ts';
import type { RefusedEntry, SkillSource, SourceSkill } from '../sources/skill-source.ts';
import { createGate, type Gate } from './gate.ts';

export interface SkillDigests {
  readonly uri: string;
  /** Decoded, without the file. */
  readonly path: string;
  readonly name: string;
  /** Digest by path below the skill. */
  readonly files: ReadonlyMap<string, string>;
  /** Why it cannot be compared: a file fails verification, or cannot be read. */
  readonly fault?: { readonly message: string; readonly broken: boolean };
}

export interface OriginDigests {
  readonly skills: readonly SkillDigests[];
  readonly dialect?: string;
  /** Why there may be more. */
  readonly cut?: string;
}

export interface ReadServedOptions {
  readonly digest: Digester;
  readonly signal: AbortSignal;
  readonly onSkill: () => void;
}

/** @throws SkillwireError if the origin has no listing */
export async function readServed(source: SkillSource, options: ReadServedOptions): Promise<OriginDigests> {
  const { signal } = options;
  const status = await source.status?.({ signal, fresh: true });
  const gate = createGate(limits.verifier.bytesInFlight);
  const skills: SkillDigests[] = [];
  const cuts: string[] = [];
  for await (const page of source.list({ signal, fresh: true })) {
    for (const { rule, message } of page.findings) if (rule === 'origin-listing-cut') cuts.push(message);
    skills.push(...(page.refused ?? []).map(refusedSkill));
    const listed = page.skills.filter((skill) => skill.listed);
    await inParallel(listed, limits.verifier.parallelFiles, async (skill) => {
      skills.push(await readSkill(source, skill, gate, options));
      options.onSkill();
    });
  }
  skills.sort((a, b) => (a.uri < b.uri ? -1 : 1));
  return { skills, dialect: status?.dialect, cut: cuts[0] === undefined ? undefined : cuts.join('; ') };
}

async function readSkill(
  source: SkillSource,
  { entry, partial }: SourceSkill,
  gate: Gate,
  { digest, signal }: ReadServedOptions,
): Promise<SkillDigests> {
  const { uri, frontmatter, resources } = entry;
  const place = { uri, path: folderOf(uri), name: frontmatter.name };
  const promised: readonly { readonly uri: string; readonly digest?: string; readonly size?: number }[] =
    resources === 'dynamic' ? (partial?.files ?? [{ uri }]) : resources;
  const files = new Map<string, string>();
  let fault: SkillDigests['fault'];
  await inParallel(promised, limits.verifier.parallelFiles, async (file) => {
    const free = await gate.take(Math.min(file.size ?? limits.skill.bytes, limits.skill.bytes));
    try {
      const opened = await source.open(file.uri, { signal, maxBytes: limits.skill.bytes });
      if (opened === undefined) {
        fault ??= { message: `${quoteText(file.uri)} is listed but not served`, broken: true };
        return;
      }
      const found = digest(opened.bytes);
      files.set(below(uri, file.uri), found);
      if (file.digest !== undefined && file.digest !== found) {
        const message = `${quoteText(file.uri)}: the digest ${file.digest} is promised, the bytes have ${found}`;
        fault ??= { message, broken: true };
      }
    } catch (error) {
      if (!(error instanceof SkillwireError) || error.code === 'INTERRUPTED') throw error;
      fault ??= { message: error.message, broken: error.code === 'VERIFICATION_FAILED' };
    } finally {
      free();
    }
  });
  return { ...place, files, fault };
}

function refusedSkill({ uri, name, faults, code }: RefusedEntry): SkillDigests {
  const known = uri ?? (name === undefined ? '(no URI)' : `skill://${name}/SKILL.md`);
  const message = faults.join('; ');
  return {
    uri: known,
    path: folderOf(known),
    name: name ?? '(no name)',
    files: new Map(),
    fault: { message, broken: code === undefined || code === 'VERIFICATION_FAILED' },
  };
}

function folderOf(uri: string): string {
  const path = tryParseResourceUri(uri)?.path ?? uri;
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

function below(skill: string, uri: string): string {
  const path = tryParseResourceUri(uri)?.path ?? uri;
  const folder = `${folderOf(skill)}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}

/** The content of an entry as two digests: enough to notice a change without storing the entry. */

export interface Fingerprint {
  /** The digest of its files. */
  readonly files: string;
  /** The digest of its files and its frontmatter. */
  readonly all: string;
}

const encoder = new TextEncoder();

export function fingerprint({ entry, partial }: DecodedSkill, digest: Digester): Fingerprint {
  const files = filesFingerprint(partial?.files ?? entry.resources, digest);
  const all = digest(encoder.encode(`${files}\n${JSON.stringify(sortedJson(entry.frontmatter))}`));
  return { files, all };
}

export function filesFingerprint(files: unknown, digest: Digester): string {
  return digest(encoder.encode(JSON.stringify(files)));
}
