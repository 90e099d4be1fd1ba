/**
 * Ranks the texts that match a query by BM25 over weighted fields. A text with more of the words ranks higher, and so does a skill
 * whose name the query contains. Near twins are one hit. Further skills of one name rank lower, so that a list shows different answers.
 */
import { limits } from '../limits.ts';
import { fusedScores } from './meaning.ts';
import { slotOf, weightOf } from './postings.ts';
import { areEqual, groupTwins, type TextTerms, type TwinGroup } from './twins.ts';

export interface FieldWeight {
  /** How much a word counts in this field. */
  readonly boost: number;
  /** How much the length of the field matters, 0 to 1. */
  readonly norm: number;
  /** Words that such a field usually has. A constant, because an average would depend on texts that the caller may not see. */
  readonly typical: number;
}

/** Chosen with the tuning queries of test/retrieval and bench/real-skills: a body that counts as much as a heading finds less. */
export const fieldWeights = {
  name: { boost: 3, norm: 0.4, typical: 4 },
  description: { boost: 2.5, norm: 0.5, typical: 25 },
  hints: { boost: 1.5, norm: 0.5, typical: 20 },
  headings: { boost: 1, norm: 0.5, typical: 15 },
  body: { boost: 0.5, norm: 0.75, typical: 450 },
} as const satisfies Readonly<Record<string, FieldWeight>>;

/** How soon more occurrences of a word stop counting (k1 of BM25). */
export const saturation = 1.5;

/** Added for each word that a text has, however little it counts there: a text with more of the words ranks higher. */
const presence = 0.1;

/** Factor for a skill whose name is the query, and added part for a name of three or more words that the query contains. */
const wholeName = 2;
const containedName = 0.3;
const containedNameWords = 3;

/** Factor for each further text with the same name. */
const sameName = 0.85;

/** Texts that score below this part of the best score are no hits. */
const leastPart = 0.1;

/** The texts that a caller may see. */
export interface Scope {
  readonly count: number;
  /** 1 for each slot that the caller may see. */
  readonly visible: Uint8Array;
  /** How often terms occur among these texts, cached by list. */
  readonly occurrences: Map<readonly number[], Occurrences>;
}

interface Occurrences {
  readonly texts: number;
  /** The weights of the term in these texts together. */
  readonly weight: number;
}

export interface QueryTerm {
  /** Id of the term; `undefined` if no text has it. */
  readonly id: number | undefined;
  /** From how often the query repeats it, and how early. */
  readonly weight: number;
  readonly lists: readonly { readonly postings: readonly number[]; readonly factor: number }[];
}

export interface RankOptions {
  readonly scope: Scope;
  readonly most: number;
  readonly terms: TextTerms;
  /** Texts with a similar meaning, best first. */
  readonly nearest: readonly number[];
}

export interface RankedTexts {
  /** Best first, at most as many as requested. */
  readonly groups: readonly TwinGroup[];
  /** Number of matching texts, twins included. */
  readonly total: number;
}

export function rankTexts(query: readonly QueryTerm[], { scope, most, terms, nearest }: RankOptions): RankedTexts {
  const scores = new Float32Array(scope.visible.length);
  const found = scoreTexts(mostTelling(query, scope), scope, scores);
  // More than requested, because twins are joined and further texts of one name fall back.
  const wide = limits.search.hitsBehind * most;
  const lastBest = scores[topOf(found, scores, Math.max(1, wide)).at(-1) ?? 0] ?? 0;
  const factorOf = nameFactors(query, terms.nameOf);
  let highest = 0;
  for (const slot of found) {
    let score = scores[slot] ?? 0;
    // A lower score cannot reach the best texts, whatever the name is.
    if (score * wholeName >= lastBest) {
      score *= factorOf(slot);
      scores[slot] = score;
    }
    if (score > highest) highest = score;
  }
  const least = highest * leastPart;
  const hits = found.filter((slot) => (scores[slot] ?? 0) >= least);
  let top = topOf(hits, scores, wide);
  const others = nearest.filter((slot) => scores[slot] === 0).length;
  if (nearest.length > 0) {
    const fused = fusedScores([top, nearest]);
    for (const [slot, score] of fused) scores[slot] = score;
    top = topOf([...fused.keys()], scores, fused.size);
  }
  const groups = varied(groupTwins(top, terms), scores, terms.nameOf).slice(0, most);
  return { groups, total: hits.length + others };
}

interface WeighedTerm {
  readonly lists: QueryTerm['lists'];
  readonly worth: number;
}

/**
 * The most specific terms of the query. A term is more specific if fewer texts have it, and if it weighs more in those that do. Names
 * and descriptions say what skills are for; a word that only bodies have is a filler.
 */
function mostTelling(query: readonly QueryTerm[], scope: Scope): readonly WeighedTerm[] {
  const weighed: WeighedTerm[] = [];
  for (const { weight, lists } of query) {
    let [count, sum] = [0, 0];
    for (const { postings, factor } of lists) {
      const { texts, weight: together } = occurrencesIn(postings, scope);
      count += texts;
      sum += together * factor;
    }
    if (count === 0) continue;
    const texts = Math.min(count, scope.count);
    const rarity = Math.log(1 + (scope.count - texts + 0.5) / (texts + 0.5));
    weighed.push({ lists, worth: (weight * rarity * sum) / count });
  }
  return weighed.sort((a, b) => b.worth - a.worth).slice(0, limits.search.queryTerms);
}

function occurrencesIn(postings: readonly number[], { visible, occurrences }: Scope): Occurrences {
  const known = occurrences.get(postings);
  if (known !== undefined) return known;
  let [texts, weight] = [0, 0];
  for (const posting of postings) {
    if (visible[slotOf(posting)] !== 1) continue;
    texts++;
    weight += weightOf(posting);
  }
  const counted = { texts, weight };
  occurrences.set(postings, counted);
  return counted;
}

/** Writes the score of each text that has a term. @returns the slots of these texts */
function scoreTexts(query: readonly WeighedTerm[], { visible }: Scope, scores: Float32Array): number[] {
  const found: number[] = [];
  /** The score that the current term has added to each text; of several lists the best counts. */
  const added = new Float32Array(visible.length);
  for (const { lists, worth } of query) {
    for (const { postings, factor } of lists)
      for (const posting of postings) {
        const slot = slotOf(posting);
        if (visible[slot] !== 1) continue;
        const score = worth * (weightOf(posting) * factor + presence);
        const before = lists.length === 1 ? 0 : (added[slot] as number);
        if (score <= before) continue;
        const sum = scores[slot] as number;
        if (sum === 0) found.push(slot);
        scores[slot] = sum + score - before;
        if (lists.length > 1) added[slot] = score;
      }
    if (lists.length > 1) for (const { postings } of lists) for (const posting of postings) added[slotOf(posting)] = 0;
  }
  return found;
}

function nameFactors(query: readonly QueryTerm[], nameOf: TextTerms['nameOf']): (slot: number) => number {
  const ids = query.map(({ id }) => id);
  const whole = Int32Array.from(ids, (id) => id ?? -1);
  const contained = new Set(ids);
  return (slot) => {
    const name = nameOf(slot);
    for (const id of name) if (!contained.has(id)) return 1;
    if (name.length === 0) return 1;
    return areEqual(name, whole) ? wholeName : 1 + containedName * Math.min(1, name.length / containedNameWords);
  };
}

/** The best in order; of equal ones the first comes first. */
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

function varied(groups: readonly TwinGroup[], scores: Float32Array, nameOf: TextTerms['nameOf']): readonly TwinGroup[] {
  const names = new Map<string, number>();
  const judged = groups.map((group, place) => {
    const name = nameOf(group.slot).join();
    const before = names.get(name) ?? 0;
    names.set(name, before + 1);
    return { group, place, score: (scores[group.slot] ?? 0) * sameName ** before };
  });
  return judged.sort((a, b) => b.score - a.score || a.place - b.place).map(({ group }) => group);
}
