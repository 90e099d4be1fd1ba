/**
 * The set of files that an approval is bound to (SEP-2640: URIs and digests of the entry, H-61). Sizes and frontmatter
 * are not part of it: both follow from the bytes that the digests name.
 */
import { sha256Digest } from './digest.ts';
import type { SkillEntry } from './entry.ts';

/** Every file once, sorted by URI in UTF-16 order. */
export type SkillSet = readonly { readonly uri: string; readonly digest: string }[];

/** Lists of URIs. */
export interface SetDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

const encoder = new TextEncoder();

/** `undefined` for a dynamic skill, which an approval cannot be bound to. */
export function setOf({ resources }: SkillEntry): SkillSet | undefined {
  if (resources === 'dynamic') return undefined;
  const set = resources.map(({ uri, digest }) => ({ uri, digest }));
  return isSorted(set) ? set : set.sort((a, b) => (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0));
}

/** One line `<digest> <uri>` per file. URIs contain no line breaks, so different sets have different lines. */
export function setLines(set: SkillSet): Uint8Array {
  let lines = '';
  for (const { uri, digest } of set) lines += `${digest} ${uri}\n`;
  return encoder.encode(lines);
}

/** SHA-256 over the lines of a set. */
export function setDigest(set: SkillSet): Promise<string> {
  return sha256Digest(setLines(set));
}

export function sameSet(a: SkillSet, b: SkillSet): boolean {
  return a.length === b.length && a.every(({ uri, digest }, at) => b[at]?.uri === uri && b[at].digest === digest);
}

export function setDifference(before: SkillSet, after: SkillSet): SetDifference {
  const digests = new Map(before.map(({ uri, digest }) => [uri, digest]));
  const added: string[] = [];
  const changed: string[] = [];
  for (const { uri, digest } of after) {
    const known = digests.get(uri);
    if (known === undefined) added.push(uri);
    else if (known !== digest) changed.push(uri);
    digests.delete(uri);
  }
  return { added, removed: [...digests.keys()], changed };
}

function isSorted(set: SkillSet): boolean {
  return set.every(({ uri }, at) => at === 0 || (set[at - 1]?.uri ?? '') < uri);
}
