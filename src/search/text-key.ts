/**
 * What makes two skills one hit: the same SKILL.md. The digest alone does not do: an origin may claim that of another's file beside a
 * description of its own. A dynamic skill is like no other.
 */
import type { SkillEntry } from '../skill/entry.ts';

/** @param identity of the skill, where its URI alone is not one */
export function textKey({ uri, frontmatter, resources }: SkillEntry, identity: string = uri): string {
  const { name, description } = frontmatter;
  const file = resources === 'dynamic' ? undefined : resources.find((resource) => resource.uri === uri);
  // Neither a digest nor a name has a line break.
  return `${file?.digest ?? identity}\n${name}\n${description}`;
}
