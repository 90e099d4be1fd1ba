/**
 * What authors say about when a skill is for: the phrases, tags and keywords of the frontmatter, and the "Use when" sentences of the
 * description. They are the words that a reader is expected to use, so they count more than the rest.
 */
import { limits } from '../limits.ts';
import type { Frontmatter } from '../skill/entry.ts';
import { isJsonObject } from '../skill/json.ts';

/** Keys under which authors list such words, on top or under `metadata`. */
const keys = ['triggers', 'trigger', 'keywords', 'tags', 'when_to_use', 'when-to-use', 'category', 'aliases'] as const;

const useWhen =
  /(?:^|[.!?\n]\s*)((?:use (?:when|this|it|for|if|whenever)|used? (?:when|for)|triggers?\b|when (?:the|a|you|someone)|activates? (?:when|on|for)|适用于|当用户)[^.!?\n]*)/gi;

/** Phrases, tags and keywords of the frontmatter. */
export function listedHints(frontmatter: Frontmatter): string {
  const found: string[] = [];
  for (const map of [frontmatter, frontmatter['metadata']]) {
    if (!isJsonObject(map)) continue;
    for (const key of keys) if (Object.hasOwn(map, key)) collect(map[key], found);
  }
  return found.join('\n').slice(0, limits.search.hintCharacters);
}

/** Sentences of a description that say when the skill is for. */
export function useWhenSentences(description: string): string {
  return [...description.matchAll(useWhen)].map(([, sentence = '']) => sentence).join('\n');
}

/** Texts of a value, and of a list of them; nothing else. */
function collect(value: unknown, into: string[]): void {
  if (typeof value === 'string') into.push(value);
  else if (Array.isArray(value)) for (const one of value) if (typeof one === 'string') into.push(one);
}
