/**
 * SEP-2076 besides the extension, if enabled (C-11), for clients that do not declare the extension. Rows of `skills/list` get the fields of
 * a named skill, and `skills/get` accepts a name.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import {
  decodeGetRequest,
  encodeNamedRow,
  encodeNamedSkill,
  type NamedRow,
  type NamedSkillAnswer,
} from '../../dialects/sep-2076/sep-2076.ts';
import { SkillwireError } from '../../errors.ts';
import { didYouMean } from '../../skill/did-you-mean.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { SkillEntry } from '../../skill/entry.ts';
import type { SourceContext } from '../../sources/skill-source.ts';
import { skillNames } from './aliases/names.ts';

export type NamedEntry = SkillEntry & Partial<NamedRow>;

const rows = new WeakMap<SkillEntry, NamedEntry>();

/** Entries with the fields of SEP-2076 added. A skill without a unique name is unchanged. */
export function namedEntries(snapshot: Snapshot): ReadonlyMap<SkillEntry, NamedEntry> {
  const found = new Map<SkillEntry, NamedEntry>();
  for (const { name, skill } of skillNames(snapshot).named) {
    const { entry } = skill;
    let row = rows.get(entry);
    if (row?.name !== name) {
      row = { ...entry, ...encodeNamedRow(entry, name) };
      rows.set(entry, row);
    }
    found.set(entry, row);
  }
  return found;
}

/** The answer to `skills/get` by name, or the requested URI. */
export async function getByName(
  catalog: Catalog,
  params: unknown,
  context: SourceContext,
): Promise<NamedSkillAnswer | { readonly uri: string }> {
  const request = decodeGetRequest(params, true);
  if (request.dialect === 'skills-extension') return { uri: request.uri };
  if (request.dialect === 'invalid') throw new SkillwireError('USAGE', `Cannot get the skill: ${request.message}`);
  const { name } = request;
  const { byName } = skillNames(await catalog.snapshot(context));
  const skill = byName.get(name);
  if (skill === undefined)
    throw new SkillwireError(
      'SKILL_NOT_FOUND',
      `No skill is named ${quoteText(name)}.${didYouMean(name, byName.keys())}`,
      {
        data: { name },
      },
    );
  const { file, bytes } = await catalog.read(skill.entry.uri, context);
  return encodeNamedSkill(file.skill.entry, bytes);
}
