/**
 * A skill of SEP-2076: a name, and instructions for it. Its `SKILL.md` is made of what was listed and what `skills/get` gives; the
 * files that come with it are resources of the server. Nothing has digests.
 */
import type { DialectFile, DialectSkill } from '../../../dialects/dialect-skill.ts';
import { decodeNamedSkill, type NamedSkillReading } from '../../../dialects/sep-2076/decode-named.ts';
import { type Remark, remark } from '../../../dialects/skills-extension/remark.ts';
import { limits } from '../../../limits.ts';
import { skillFileName } from '../../../skill/entry.ts';
import { findContent } from './ask.ts';
import { type LoadedSkill, type LoadOptions, skillWith } from './loaded-skill.ts';
import { withHead } from './skill-head.ts';

export async function loadNamed(skill: DialectSkill, options: LoadOptions): Promise<LoadedSkill> {
  const { ask, signal, uri, detail, onBytes } = options;
  const { name } = skill;

  async function get(wanted: AbortSignal | undefined): Promise<NamedSkillReading> {
    const result = await ask('skills/get', { name }, { maxBytes: limits.origin.pageBytes, signal: wanted });
    const reading = decodeNamedSkill(result, name);
    onBytes(reading.instructions.length);
    return reading;
  }

  const remarks: Remark[] = [];
  const got = detail || skill.description === undefined ? await get(signal) : undefined;
  for (const { message } of got?.refused ?? [])
    remarks.push(remark('sep2076:get', `a file is left out: ${message}`, uri));
  const description = skill.description ?? got?.description ?? `Skill: ${name}`;
  const frontmatter = { name, description: description.slice(0, limits.skill.descriptionLength) };
  let files: readonly DialectFile[] | undefined = got?.files;
  const known = files === undefined ? skill : { ...skill, files };
  return {
    skill: { ...skillWith(known, uri, frontmatter, { made: true }), listed: true },
    remarks,
    async file(path, read) {
      if (path === skillFileName) return withHead(frontmatter, (await get(read.signal)).instructions);
      files ??= (await get(read.signal)).files;
      const own = files.find((file) => file.path === path);
      return own === undefined ? undefined : findContent(ask, own.uri, read);
    },
  };
}
