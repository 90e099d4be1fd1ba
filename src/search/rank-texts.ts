/**
 * The order of the texts that match: BM25 over fields, texts that have more of the words before those that have few of them often,
 * and a skill whose name is what was asked for first. Near twins are one hit. Of other skills with one name the later ones stand back, so
 * that a list shows more than one thing.
 */
import { limits } from '../limits.ts';
import { fusedScores } from './meaning.ts';
import { slotOf, weightOf } from './postings.ts';
import { groupTwins, type TwinFacts, type TwinGroup } from './twins.ts';

export interface FieldWeight {
  /** How much a word counts in this field. */
  readonly boost: number;
  /** How much the length of the field matters, 0 to 1. */
  readonly norm: number;
  /** Words that such a field usually has. */
  readonly typical: number;
}

export interface FieldWeights {
  readonly name: FieldWeight;
  readonly description: FieldWeight;
  readonly hints: FieldWeight;
  readonly headings: FieldWeight;
  readonly body: FieldWeight;
  /** How soon more of the same word says nothing more. */
  readonly saturation: number;
}

/** Chosen on the tuning half of the queries in test/retrieval: a body that counts as much as a heading finds less. */
export const fieldWeights: FieldWeights = {
  name: { boost: 3, norm: 0.4, typical: 4 },
  description: { boost: 2, norm: 0.5, typical: 25 },
  hints: { boost: 1, norm: 0.5, typical: 20 },
  headings: { boost: 1, norm: 0.5, typical: 15 },
  body: { boost: 0.5, norm: 0.75, typical: 150 },
  saturation: 1.2,
};

/** What a text that has none of the words but one is worth, beside one that has all. */
const coverageFloor = 0.4;

/** How much it matters where a word usually stands, and the weight of one that stands in descriptions. */
const placeMatters = 0.5;
const usualWeight = 0.4;

/** What the name is worth that is asked for, and one whose words are all asked for. */
const wholeName = 2;
const namedWords = 1.3;

/** What a further text with the same name is worth. */
const sameName = 0.85;

/** Texts worth less than this part of the best one are no hits. */
const leastPart = 0.1;

/** The texts that a caller may see. */
export interface Scope {
  readonly slots: number;
  readonly count: number;
  has(slot: number): boolean;
}

export interface QueryTerm {
  readonly term: string;
  readonly lists: readonly { readonly postings: readonly number[]; readonly factor: number }[];
}

export interface RankOptions {
  readonly scope: Scope;
  readonly most: number;
  readonly facts: TwinFacts;
  /** Texts that are near by their meaning, best first. */
  readonly nearest: readonly number[];
}

export interface RankedTexts {
  /** Best first, no more than were asked for. */
  readonly groups: readonly TwinGroup[];
  /** How many texts there are, twins included. */
  readonly total: number;
}

export function rankTexts(query: readonly QueryTerm[], { scope, most, facts, nearest }: RankOptions): RankedTexts {
  const scores = new Float32Array(scope.slots);
  const covered = new Float32Array(scope.slots);
  const best = new Float32Array(scope.slots);
  const found: number[] = [];
  let total = 0;
  for (const { lists, worth } of weighed(query, scope)) {
    total += worth;
    const seen: number[] = [];
    for (const { postings, factor } of lists)
      for (const posting of postings) {
        const slot = slotOf(posting);
        if (!scope.has(slot)) continue;
        const weight = weightOf(posting) * factor;
        const before = best[slot] ?? 0;
        if (before === 0) seen.push(slot);
        if (weight > before) best[slot] = weight;
      }
    for (const slot of seen) {
      const score = scores[slot] ?? 0;
      if (score === 0) found.push(slot);
      scores[slot] = score + worth * (best[slot] ?? 0);
      covered[slot] = (covered[slot] ?? 0) + worth;
      best[slot] = 0;
    }
  }
  const factorOf = nameFactors(query, facts.nameOf);
  let highest = 0;
  for (const slot of found) {
    const part = (covered[slot] ?? 0) / total;
    const score = (scores[slot] ?? 0) * (coverageFloor + (1 - coverageFloor) * part) * factorOf(slot);
    scores[slot] = score;
    if (score > highest) highest = score;
  }
  const least = highest * leastPart;
  const hits = found.filter((slot) => (scores[slot] ?? 0) >= least);
  // Twins, and those that stand back for their name, make room for as many others.
  let top = topOf(hits, scores, limits.search.hitsBehind * most);
  const others = nearest.filter((slot) => scores[slot] === 0).length;
  if (nearest.length > 0) {
    const fused = fusedScores([top, nearest]);
    for (const [slot, score] of fused) scores[slot] = score;
    top = topOf([...fused.keys()], scores, fused.size);
  }
  const groups = varied(groupTwins(top, facts), scores, facts.nameOf).slice(0, most);
  return { groups, total: hits.length + others };
}

interface WorthyTerm extends QueryTerm {
  /** How much it says that a text has the word. */
  readonly worth: number;
}

/**
 * The words with what they say. A word says the more, the fewer texts have it and the more it counts in those that do: a word of names and
 * descriptions says what skills are for, one that stands in bodies alone is a filler of sentences.
 */
function weighed(query: readonly QueryTerm[], scope: Scope): readonly WorthyTerm[] {
  const words: WorthyTerm[] = [];
  for (const term of query) {
    let [count, sum] = [0, 0];
    for (const { postings, factor } of term.lists)
      for (const posting of postings) {
        if (!scope.has(slotOf(posting))) continue;
        count++;
        sum += weightOf(posting) * factor;
      }
    if (count === 0) continue;
    const texts = Math.min(count, scope.count);
    const rarity = Math.log(1 + (scope.count - texts + 0.5) / (texts + 0.5));
    const place = (sum / count / usualWeight) ** placeMatters;
    words.push({ ...term, worth: rarity * place });
  }
  return words;
}

function nameFactors(query: readonly QueryTerm[], nameOf: (slot: number) => string): (slot: number) => number {
  const asked = new Set(query.map(({ term }) => term));
  const whole = [...asked].join(' ');
  return (slot) => {
    const name = nameOf(slot);
    if (name === whole) return wholeName;
    const space = name.indexOf(' ');
    // Most names fail at their first word.
    if (!asked.has(space === -1 ? name : name.slice(0, space))) return 1;
    return name.split(' ').every((term) => asked.has(term)) ? namedWords : 1;
  };
}

/** The best, in their order; of equals the one that came first. */
function topOf(slots: readonly number[], scores: Float32Array, most: number): readonly number[] {
  const score = (slot: number): number => scores[slot] ?? 0;
  const top: number[] = [];
  for (const slot of slots) {
    if (top.length >= most && score(slot) <= score(top.at(-1) ?? slot)) continue;
    let [low, high] = [0, top.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (score(top[middle] ?? slot) >= score(slot)) low = middle + 1;
      else high = middle;
    }
    top.splice(low, 0, slot);
    if (top.length > most) top.pop();
  }
  return top;
}

function varied(
  groups: readonly TwinGroup[],
  scores: Float32Array,
  nameOf: (slot: number) => string,
): readonly TwinGroup[] {
  const names = new Map<string, number>();
  const judged = groups.map((group, place) => {
    const name = nameOf(group.slot);
    const before = names.get(name) ?? 0;
    names.set(name, before + 1);
    return { group, place, score: (scores[group.slot] ?? 0) * sameName ** before };
  });
  return judged.sort((a, b) => b.score - a.score || a.place - b.place).map(({ group }) => group);
}
