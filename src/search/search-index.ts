/**
 * A ranking index over the texts of skills: BM25 over weighted fields, in memory. Equal texts are one hit, however many skills have
 * them. A text is indexed once: putting it again, or removing it, costs a look-up.
 *
 * Skills that a caller may not see do not influence its answer: neither hits, nor their order, nor the guess for a misspelled word. So the
 * rarity of a word is counted among the visible texts, and lengths are compared with constants instead of averages.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type Meaning, nearestTexts } from './meaning.ts';
import { createPostings } from './postings.ts';
import { createQueryReader } from './query-terms.ts';
import { rankTexts, type Scope } from './rank-texts.ts';
import type { SearchDocument } from './search-document.ts';
import { createNameWords } from './similar-words.ts';
import { createTermReader } from './term-reader.ts';
import type { TwinGroup } from './twins.ts';

export interface SearchOptions {
  readonly limit?: number;
  /** Whether the caller may see this URI. The answers are cached by function until the index changes. */
  readonly allows?: (uri: string) => boolean;
  /** The meaning of the query. Texts with a similar meaning are hits too. */
  readonly meaning?: Meaning | undefined;
}

/** A hit names skills by URI, or as what a caller knows by that URI. */
export interface SearchHit<Skill = string> {
  readonly skill: Skill;
  /** Other visible skills with the same text. */
  readonly copies: readonly Skill[];
  /** Visible near twins, best first: other versions of the skill, or the same description under another name. */
  readonly twins: readonly Skill[];
}

/** The same hits as what a caller knows by their URIs. Leaves out URIs that the caller does not know. */
export function hitsAs<Skill>(
  hits: readonly SearchHit[],
  known: (uri: string) => Skill | undefined,
): readonly SearchHit<Skill>[] {
  const knownOf = (uri: string): readonly Skill[] => {
    const skill = known(uri);
    return skill === undefined ? [] : [skill];
  };
  return hits.flatMap(({ skill: uri, copies, twins }) =>
    knownOf(uri).map((skill) => ({ skill, copies: copies.flatMap(knownOf), twins: twins.flatMap(knownOf) })),
  );
}

export interface SearchResult<Skill = string> {
  /** Best first. */
  readonly hits: readonly SearchHit<Skill>[];
  /** Number of matching texts without the limit, twins included. */
  readonly total: number;
}

interface Text {
  readonly key: string;
  slot: number;
  readonly uris: Set<string>;
  hasBody: boolean;
  meaning: Meaning | undefined;
}

/** A text at its place in the index. */
interface Slot {
  readonly text: Text;
  readonly name: Int32Array;
  readonly description: Int32Array;
}

const noTerms = new Int32Array();

export function createSearchIndex() {
  const postings = createPostings();
  const nameWords = createNameWords();
  const terms = createTermReader(postings);
  const readQuery = createQueryReader(postings, nameWords);
  /** Removed texts leave a gap until the slots are compacted. */
  let slots: (Slot | undefined)[] = [];
  let removed = 0;
  let revision = 0;
  const byKey = new Map<string, Text>();
  const byUri = new Map<string, Text>();
  const everything = (): boolean => true;
  const scopes = new WeakMap<(uri: string) => boolean, { readonly revision: number; readonly scope: Scope }>();

  function write(text: Text, document: SearchDocument): void {
    const slot = slots.length;
    if (slot > limits.search.texts) throw tooMany();
    const { nameWords: words, name, description } = terms.write(slot, document);
    for (const word of words) nameWords.add(word);
    slots.push({ text, name, description });
    text.slot = slot;
    text.hasBody = document.body !== undefined;
  }

  function drop(slot: number): void {
    slots[slot] = undefined;
    removed++;
    if (removed > limits.search.goneTexts && removed * 2 > slots.length) compact();
  }

  function compact(): void {
    const moved = new Int32Array(slots.length).fill(-1);
    const left = slots.filter((slot) => slot !== undefined);
    for (const [at, { text }] of left.entries()) {
      moved[text.slot] = at;
      text.slot = at;
    }
    postings.move(moved);
    slots = left;
    removed = 0;
  }

  function remove(uri: string): void {
    const text = byUri.get(uri);
    if (text === undefined) return;
    revision++;
    byUri.delete(uri);
    text.uris.delete(uri);
    if (text.uris.size > 0) return;
    byKey.delete(text.key);
    drop(text.slot);
  }

  function scopeFor(allows: (uri: string) => boolean): Scope {
    const known = scopes.get(allows);
    if (known?.revision === revision) return known.scope;
    const visible = new Uint8Array(slots.length);
    let count = 0;
    for (const [at, slot] of slots.entries()) {
      if (slot === undefined || (allows !== everything && ![...slot.text.uris].some(allows))) continue;
      visible[at] = 1;
      count++;
    }
    const scope: Scope = { count, visible, occurrences: new Map() };
    scopes.set(allows, { revision, scope });
    return scope;
  }

  function urisOf(slot: number, allows: (uri: string) => boolean): readonly string[] {
    return [...(slots[slot]?.text.uris ?? [])].filter(allows).sort();
  }

  function hitOf({ slot, twins }: TwinGroup, allows: (uri: string) => boolean): SearchHit {
    const [skill = '', ...copies] = urisOf(slot, allows);
    return {
      skill,
      copies: copies.slice(0, limits.search.copies),
      twins: twins.flatMap((twin) => urisOf(twin, allows).slice(0, 1)).slice(0, limits.search.twins),
    };
  }

  function* meaningsIn({ visible }: Scope): Iterable<readonly [slot: number, meaning: Meaning]> {
    for (const [at, slot] of slots.entries())
      if (slot?.text.meaning !== undefined && visible[at] === 1) yield [at, slot.text.meaning];
  }

  return {
    /** Number of URIs. */
    get size(): number {
      return byUri.size;
    },
    /** Whether the body of this text is indexed. */
    hasBody: (key: string): boolean => byKey.get(key)?.hasBody === true,
    /** Adds a document, and replaces the previous one of its URI. A document without a body does not remove an indexed body. */
    put(document: SearchDocument): void {
      const { uri, key } = document;
      const before = byUri.get(uri);
      if (before?.key === key && (before.hasBody || document.body === undefined)) return;
      if (before !== undefined && before.key !== key) remove(uri);
      revision++;
      let text = byKey.get(key);
      if (text === undefined) {
        text = { key, slot: -1, uris: new Set(), hasBody: false, meaning: undefined };
        write(text, document);
        byKey.set(key, text);
      } else if (!text.hasBody && document.body !== undefined) {
        const old = text.slot;
        write(text, document);
        drop(old);
      }
      text.uris.add(uri);
      byUri.set(uri, text);
    },
    remove,
    /** Whether the meaning of this text is known. */
    hasMeaning: (key: string): boolean => byKey.get(key)?.meaning !== undefined,
    setMeaning(key: string, meaning: Meaning): void {
      const text = byKey.get(key);
      if (text !== undefined) text.meaning = meaning;
    },
    search(
      query: string,
      { limit = limits.search.hits, allows = everything, meaning }: SearchOptions = {},
    ): SearchResult {
      const scope = scopeFor(allows);
      const most = Math.max(0, Math.min(limit, limits.search.mostHits));
      const { groups, total } = rankTexts(readQuery(query, scope), {
        scope,
        most,
        terms: {
          nameOf: (slot) => slots[slot]?.name ?? noTerms,
          descriptionOf: (slot) => slots[slot]?.description ?? noTerms,
        },
        nearest: meaning === undefined ? [] : nearestTexts(meaning, meaningsIn(scope), limits.search.hitsBehind * most),
      });
      return { hits: groups.map((group) => hitOf(group, allows)), total };
    },
  };
}

export type SearchIndex = ReturnType<typeof createSearchIndex>;

function tooMany(): SkillwireError {
  const { texts } = limits.search;
  return new SkillwireError(
    'LIMIT_EXCEEDED',
    `Search indexes at most ${texts} different skills. Serve fewer, or split them over servers.`,
    {
      data: { limit: texts },
    },
  );
}
