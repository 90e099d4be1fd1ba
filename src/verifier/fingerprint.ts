/** What an entry says, as two digests: enough to notice that it says something else, without keeping it. */
import type { DecodedSkill } from '../dialects/skills-extension/decode-entry.ts';

export interface Fingerprint {
  /** Of its files. */
  readonly files: string;
  /** Of its files and its frontmatter. */
  readonly all: string;
}

/** `sha256:` and hexadecimal digits of the bytes. */
export type Digest = (bytes: Uint8Array) => string;

const encoder = new TextEncoder();

export function fingerprint({ entry, partial }: DecodedSkill, digest: Digest): Fingerprint {
  const files = filesFingerprint(partial?.files ?? entry.resources, digest);
  const all = digest(encoder.encode(`${files}\n${JSON.stringify(inOrder(entry.frontmatter))}`));
  return { files, all };
}

export function filesFingerprint(files: unknown, digest: Digest): string {
  return digest(encoder.encode(JSON.stringify(files)));
}

/** The same text for objects whose keys come in another order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { pairs: pairs.map(([key, inner]) => [key, inOrder(inner)]) };
}
