/**
 * A skill of SEP-2076: a name, and instructions for it. Its `SKILL.md` is made of what was listed and what `skills/get` gives; the
 * files that come with it are resources of the server. Nothing has digests.
 */
import type { DialectSkill } from '../../../dialects/dialect-skill.ts';
import { decodeNamedSkill, type NamedSkillReading } from '../../../dialects/sep-2076/decode-named.ts';
import { type Remark, remark } from '../../../dialects/skills-extension/remark.ts';
import { limits } from '../../../limits.ts';
import { skillFileName } from '../../../skill/entry.ts';
import { findContent } from './ask.ts';
import { type LoadedSkill, type LoadOptions, skillWith } from './loaded-skill.ts';
import { withHead } from './skill-head.ts';

export async function loadNamed(skill: DialectSkill, options: LoadOptions): Promise<LoadedSkill> {
  const { ask, signal, uri, onBytes } = options;
  const { name } = skill;

  async function get(wanted: AbortSignal | undefined): Promise<NamedSkillReading> {
    const result = await ask('skills/get', { name }, { maxBytes: limits.origin.pageBytes, signal: wanted });
    const reading = decodeNamedSkill(result, name);
    onBytes(reading.instructions.length);
    return reading;
  }

  const remarks: Remark[] = [];
  const { files, refused, description: told } = await get(signal);
  for (const { message } of refused) remarks.push(remark('sep2076:get', `a file is left out: ${message}`, uri));
  const description = skill.description ?? told ?? `Skill: ${name}`;
  const frontmatter = { name, description: description.slice(0, limits.skill.descriptionLength) };
  const complete = refused.length === 0;
  return {
    skill: { ...skillWith({ ...skill, files }, uri, frontmatter, { made: true, complete }), listed: true },
    remarks,
    async file(path, read) {
      if (path === skillFileName) return withHead(frontmatter, (await get(read.signal)).instructions);
      const own = files.find((file) => file.path === path);
      return own === undefined ? undefined : findContent(ask, own.uri, read);
    },
  };
}
