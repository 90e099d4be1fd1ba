import { limits } from '../limits.ts';
import type { Frontmatter, SkillEntry } from '../skill/entry.ts';
import { isJsonObject } from '../skill/json.ts';

/** The searchable text of a skill. */
export interface SearchDocument {
  readonly uri: string;
  /** Equal for documents with the same text, and for no others. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** When to use the skill, in the words of its author. */
  readonly hints?: string;
  /** Of the body, if it is known. */
  readonly headings?: string;
  readonly body?: string;
}

/**
 * Skills with the same SKILL.md are one hit. The digest alone is not enough for that: an origin may claim the digest of another's file
 * beside a description of its own. A dynamic skill equals no other.
 *
 * @param identity of the skill, if its URI is not unique
 */
export function documentOf({ uri, frontmatter, resources }: SkillEntry, identity: string = uri): SearchDocument {
  const { name, description } = frontmatter;
  const file = resources === 'dynamic' ? undefined : resources.find((resource) => resource.uri === uri);
  const listed = listedHints(frontmatter);
  // Neither a digest nor a name contains a line break.
  const key = `${file?.digest ?? identity}\n${name}\n${description}\n${listed}`;
  return { uri: identity, key, name, description, hints: `${listed}\n${useWhenSentences(description)}` };
}

/** Frontmatter keys, also under `metadata`, in which authors list the words that users are expected to say. */
const hintKeys = [
  'triggers',
  'trigger',
  'keywords',
  'tags',
  'when_to_use',
  'when-to-use',
  'category',
  'aliases',
] as const;

const useWhen =
  /(?:^|[.!?\n]\s*)((?:use (?:when|this|it|for|if|whenever)|used? (?:when|for)|triggers?\b|when (?:the|a|you|someone)|activates? (?:when|on|for)|适用于|当用户)[^.!?\n]*)/gi;

/** Phrases, tags and keywords of the frontmatter. */
export function listedHints(frontmatter: Frontmatter): string {
  const found: string[] = [];
  for (const map of [frontmatter, frontmatter['metadata']]) {
    if (!isJsonObject(map)) continue;
    for (const key of hintKeys) if (Object.hasOwn(map, key)) found.push(...textsOf(map[key]));
  }
  return found.join('\n').slice(0, limits.search.hintCharacters);
}

/** Sentences of a description that say when to use the skill. */
export function useWhenSentences(description: string): string {
  return [...description.matchAll(useWhen)].map(([, sentence = '']) => sentence).join('\n');
}

function textsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one) => typeof one === 'string');
}
