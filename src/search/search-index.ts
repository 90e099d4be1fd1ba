/**
 * A ranking index over the texts of skills: BM25 over weighted fields, in memory. Equal texts are one hit, however many skills have
 * them. A text is put in once; putting the same again costs a look-up, and taking one out costs no more.
 *
 * What a caller may not see has no influence on the answer: neither on which hits there are, nor on their order, nor on what a word is
 * guessed to mean. So the weight of a word is counted among the texts that the caller may see, and lengths are measured against
 * constants, not against an average.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type Meaning, nearestTexts } from './meaning.ts';
import { createNameWords } from './name-words.ts';
import { createPostings } from './postings.ts';
import { createQueryReader } from './query-terms.ts';
import { fieldWeights, rankTexts, type Scope } from './rank-texts.ts';
import type { SearchDocument } from './search-document.ts';
import { createTermReader, nameTerms } from './term-reader.ts';
import type { TwinFacts, TwinGroup } from './twins.ts';

export interface SearchOptions {
  readonly limit?: number;
  /** Whether the caller may see this URI. Its answers are remembered with the function until the index changes. */
  readonly allows?: (uri: string) => boolean;
  /** What the query means: texts that mean nearly the same are hits too. */
  readonly meaning?: Meaning | undefined;
}

export interface SearchHit {
  readonly uri: string;
  /** Others with the same text that the caller may see. */
  readonly copies: readonly string[];
  /** Near twins that the caller may see, best first: other versions of the skill, or the same description under another name. */
  readonly twins: readonly string[];
}

export interface SearchResult {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** How many texts there are without the limit, twins included. */
  readonly total: number;
}

export interface SearchIndex {
  /** URIs that are in it. */
  readonly size: number;
  /** Whether the body of this text is in it. */
  hasBody(key: string): boolean;
  /** Puts a document in, in place of what its URI had before. A text without a body takes none away. */
  put(document: SearchDocument): void;
  remove(uri: string): void;
  /** Whether the meaning of this text is known. */
  hasMeaning(key: string): boolean;
  setMeaning(key: string, meaning: Meaning): void;
  search(query: string, options?: SearchOptions): SearchResult;
}

/** One text and where it is. */
interface Text {
  readonly key: string;
  slot: number;
  readonly uris: Set<string>;
  hasBody: boolean;
  meaning: Meaning | undefined;
}

const noTerms = new Int32Array();

export function createSearchIndex(): SearchIndex {
  const postings = createPostings();
  const nameWords = createNameWords();
  let texts: (Text | undefined)[] = [];
  let names: string[] = [];
  let descriptions: Int32Array[] = [];
  let revision = 0;
  let gone = 0;
  const byKey = new Map<string, Text>();
  const byUri = new Map<string, Text>();
  const terms = createTermReader(postings);
  const scopes = new WeakMap<(uri: string) => boolean, { readonly revision: number; readonly scope: Scope }>();

  function write(text: Text, document: SearchDocument): void {
    const slot = texts.length;
    if (slot > limits.search.texts) throw tooMany();
    texts.push(text);
    const named = nameTerms(document.name);
    for (const term of named) nameWords.add(term);
    names.push(named.join(' '));
    text.slot = slot;
    text.hasBody = document.body !== undefined;
    descriptions.push(terms.write(slot, document, fieldWeights));
  }

  function drop(slot: number): void {
    texts[slot] = undefined;
    names[slot] = '';
    descriptions[slot] = noTerms;
    gone++;
    if (gone > limits.search.goneTexts && gone * 2 > texts.length) compact();
  }

  /** Writes everything anew without the texts that are gone. */
  function compact(): void {
    const kept = texts
      .map((text, slot) => ({ text, name: names[slot] ?? '', description: descriptions[slot] ?? noTerms }))
      .filter(({ text }) => text !== undefined);
    const moved = new Int32Array(texts.length).fill(-1);
    for (const [slot, { text }] of kept.entries()) {
      if (text === undefined) continue;
      moved[text.slot] = slot;
      text.slot = slot;
    }
    postings.move(moved);
    texts = kept.map(({ text }) => text);
    names = kept.map(({ name }) => name);
    descriptions = kept.map(({ description }) => description);
    gone = 0;
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

  function scopeFor(allows: ((uri: string) => boolean) | undefined): Scope {
    if (allows === undefined)
      return { slots: texts.length, count: texts.length - gone, has: (slot) => texts[slot] !== undefined };
    const known = scopes.get(allows);
    if (known?.revision === revision) return known.scope;
    const seen = new Uint8Array(texts.length);
    let count = 0;
    for (const [slot, text] of texts.entries()) {
      if (text === undefined || ![...text.uris].some(allows)) continue;
      seen[slot] = 1;
      count++;
    }
    const scope: Scope = { slots: texts.length, count, has: (slot) => seen[slot] === 1 };
    scopes.set(allows, { revision, scope });
    return scope;
  }

  function urisOf(slot: number, allows: ((uri: string) => boolean) | undefined): readonly string[] {
    return [...(texts[slot]?.uris ?? [])].filter((uri) => allows?.(uri) !== false).sort();
  }

  function hitOf({ slot, twins }: TwinGroup, allows: ((uri: string) => boolean) | undefined): SearchHit {
    const [uri = '', ...copies] = urisOf(slot, allows);
    return {
      uri,
      copies: copies.slice(0, limits.search.copies),
      twins: twins.flatMap((twin) => urisOf(twin, allows).slice(0, 1)).slice(0, limits.search.twins),
    };
  }

  function* meaningsIn(scope: Scope): Iterable<readonly [slot: number, meaning: Meaning]> {
    for (const [slot, text] of texts.entries())
      if (text?.meaning !== undefined && scope.has(slot)) yield [slot, text.meaning];
  }

  const facts: TwinFacts = {
    nameOf: (slot) => names[slot] ?? '',
    descriptionOf: (slot) => descriptions[slot] ?? noTerms,
  };
  const readQuery = createQueryReader(postings, nameWords);

  return {
    get size() {
      return byUri.size;
    },
    hasBody: (key) => byKey.get(key)?.hasBody === true,
    put(document) {
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
    hasMeaning: (key) => byKey.get(key)?.meaning !== undefined,
    setMeaning(key, meaning) {
      const text = byKey.get(key);
      if (text !== undefined) text.meaning = meaning;
    },
    search(query, { limit = limits.search.hits, allows, meaning } = {}) {
      const scope = scopeFor(allows);
      const most = Math.max(0, Math.min(limit, limits.search.mostHits));
      const { groups, total } = rankTexts(readQuery(query, scope), {
        scope,
        most,
        facts,
        nearest: meaning === undefined ? [] : nearestTexts(meaning, meaningsIn(scope), limits.search.hitsBehind * most),
      });
      return { hits: groups.map((group) => hitOf(group, allows)), total };
    },
  };
}

function tooMany(): SkillwireError {
  const { texts } = limits.search;
  return new SkillwireError('LIMIT_EXCEEDED', `cannot search: there are more than ${texts} different skills`, {
    data: { limit: texts },
  });
}
