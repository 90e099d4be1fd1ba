/**
 * Rows of `resources/list` as skilljack-mcp 0.5.1 writes them: one for the `SKILL.md` of a skill and one for its
 * collection. Names are all that there is: no paths, no manifest, nothing to verify.
 */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isSkillName } from '../../skill/name.ts';
import type { DialectReading, DialectSkill } from '../dialect-skill.ts';
import { nameRemark } from '../legacy-name.ts';
import type { Loss } from '../losses.ts';
import type { ListedResource } from '../resource-list/decode-resources-list.ts';
import type { Remark } from '../skills-extension/remark.ts';
import { buildSkilljackUri, parseSkilljackUri } from './skilljack-uris.ts';

/** @internal for round trips and the page of the dialects */
export const skilljackLosses: readonly Loss[] = [
  { part: 'prefix', why: 'a skill is a name' },
  { part: 'frontmatter', why: 'a row has a name and a description only' },
  { part: 'files', why: 'files are known once the collection is read' },
  { part: 'sizes', why: 'there is no manifest' },
  { part: 'digests', why: 'there is no manifest' },
  { part: 'dynamic', why: 'nothing says whether bytes change' },
];

export interface SkilljackRow {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: 'text/markdown';
}

/** The rows of one skill: its text, then its collection. */
export function encodeSkilljackRows(name: string, description: string): readonly [SkilljackRow, SkilljackRow] {
  if (!isSkillName(name))
    throw new SkillwireError(
      'INVALID_SKILL',
      `cannot list the skill ${quoteText(name)} by name: it is no name of a skill`,
    );
  const mimeType = 'text/markdown';
  return [
    { uri: buildSkilljackUri({ kind: 'skill', name }), name, description, mimeType },
    { uri: buildSkilljackUri({ kind: 'collection', name }), name: `${name}/`, description, mimeType },
  ];
}

/** Skills among the rows: Markdown at `skill://name`. Whatever else is listed is passed over. */
export function decodeSkilljackRows(resources: readonly ListedResource[]): DialectReading {
  const skills = new Map<string, DialectSkill>();
  const remarks: Remark[] = [];
  for (const { uri, mimeType, description } of resources) {
    const parsed = parseSkilljackUri(uri);
    if (parsed?.kind !== 'skill' || !isMarkdown(mimeType) || skills.has(parsed.name)) continue;
    const { name } = parsed;
    const odd = nameRemark(name, uri);
    if (odd !== undefined) remarks.push(odd);
    skills.set(name, {
      uri,
      skillPath: name,
      name,
      ...(description === undefined || description.trim() === '' ? {} : { description }),
      files: 'unknown',
      retrievals: [{ kind: 'read', uri }],
      verified: 'none',
    });
  }
  return { skills: [...skills.values()], refused: [], remarks };
}

function isMarkdown(mimeType: string | undefined): boolean {
  return mimeType !== undefined && /^text\/(?:x-)?markdown(?:;|$)/i.test(mimeType.trim());
}
