/**
 * What makes two skills one hit: the same SKILL.md. The digest alone does not do: an origin may claim that of another's file beside a
 * description of its own. A dynamic skill is like no other.
 */
import type { SkillEntry } from '../skill/entry.ts';
import { listedHints, useWhenSentences } from './author-hints.ts';
import type { SearchDocument } from './search-document.ts';

/** @param identity of the skill, where its URI alone is not one */
export function documentOf({ uri, frontmatter, resources }: SkillEntry, identity: string = uri): SearchDocument {
  const { name, description } = frontmatter;
  const file = resources === 'dynamic' ? undefined : resources.find((resource) => resource.uri === uri);
  const listed = listedHints(frontmatter);
  // Neither a digest nor a name has a line break.
  const key = `${file?.digest ?? identity}\n${name}\n${description}\n${listed}`;
  return { uri: identity, key, name, description, hints: `${listed}\n${useWhenSentences(description)}` };
}
