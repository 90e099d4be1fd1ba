/** What an entry says, as two digests: enough to notice that it says something else, without keeping it. */
import type { DecodedSkill } from '../dialects/skills-extension/decode-entry.ts';
import { sortedJson } from '../skill/json.ts';

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
  const all = digest(encoder.encode(`${files}\n${JSON.stringify(sortedJson(entry.frontmatter))}`));
  return { files, all };
}

export function filesFingerprint(files: unknown, digest: Digest): string {
  return digest(encoder.encode(JSON.stringify(files)));
}
