/** A source whose entries say that some of their files are executable, as folders and Git repositories do. */
import { executableMetaKey } from '../src/skill/entry.ts';
import type { SkillSource } from '../src/sources/skill-source.ts';

/** @param uris read again for each entry */
export function executableSource(source: SkillSource, uris: () => readonly string[]): SkillSource {
  return {
    ...source,
    async get(uri, context) {
      const skill = await source.get(uri, context);
      if (skill === undefined || skill.entry.resources === 'dynamic') return skill;
      const own = skill.entry.resources.map((file) => file.uri).filter((one) => uris().includes(one));
      return { ...skill, entry: { ...skill.entry, _meta: { [executableMetaKey]: own } } };
    },
  };
}
