/**
 * Vectors of texts in little memory: one byte for each dimension, and one bit for its sign. The nearest texts are found by comparing
 * signs first, which costs a thirtieth, and then the bytes of the best candidates.
 */
import { limits } from '../limits.ts';

export interface Meaning {
  readonly bytes: Int8Array;
  readonly signs: Int32Array;
}

/** @returns `undefined` for an unusable vector: empty, too long, all zero, or not made of finite numbers */
export function meaningOf(vector: ArrayLike<number>): Meaning | undefined {
  const { length } = vector;
  if (!(length > 0 && length <= limits.search.dimensions)) return undefined;
  let largest = 0;
  for (let at = 0; at < length; at++) largest = Math.max(largest, Math.abs(vector[at] ?? Number.NaN));
  if (!(largest > 0 && Number.isFinite(largest))) return undefined;
  const bytes = new Int8Array(length);
  const signs = new Int32Array(Math.ceil(length / 32));
  for (let at = 0; at < length; at++) {
    const value = vector[at] ?? 0;
    bytes[at] = Math.round((value / largest) * 127);
    if (value > 0) signs[at >>> 5] = (signs[at >>> 5] ?? 0) | (1 << (at & 31));
  }
  return { bytes, signs };
}

/** The cosine of the angle between two vectors; 0 if their lengths differ. */
export function likeness({ bytes: a }: Meaning, { bytes: b }: Meaning): number {
  if (a.length !== b.length) return 0;
  let [product, first, second] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0];
    product += x * y;
    first += x * x;
    second += y * y;
  }
  return first === 0 || second === 0 ? 0 : product / Math.sqrt(first * second);
}

/** The texts nearest to a query, best first. */
export function nearestTexts(
  query: Meaning,
  texts: Iterable<readonly [slot: number, meaning: Meaning]>,
  most: number,
): readonly number[] {
  const candidates: { readonly slot: number; readonly meaning: Meaning; readonly distance: number }[] = [];
  for (const [slot, meaning] of texts)
    if (meaning.bytes.length === query.bytes.length)
      candidates.push({ slot, meaning, distance: differentSigns(query.signs, meaning.signs) });
  candidates.sort((a, b) => a.distance - b.distance || a.slot - b.slot);
  return candidates
    .slice(0, most * limits.search.nearCandidates)
    .map(({ slot, meaning }) => ({ slot, likeness: likeness(query, meaning) }))
    .sort((a, b) => b.likeness - a.likeness || a.slot - b.slot)
    .slice(0, most)
    .map(({ slot }) => slot);
}

function differentSigns(a: Int32Array, b: Int32Array): number {
  let count = 0;
  for (let at = 0; at < a.length; at++) {
    let bits = (a[at] ?? 0) ^ (b[at] ?? 0);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** Reciprocal rank fusion: it adds places instead of scores, so rankings of different kinds can be joined. */
export function fusedScores(rankings: readonly (readonly number[])[]): ReadonlyMap<number, number> {
  const scores = new Map<number, number>();
  for (const ranking of rankings)
    for (const [place, slot] of ranking.entries()) scores.set(slot, (scores.get(slot) ?? 0) + 1 / (60 + place));
  return scores;
}
