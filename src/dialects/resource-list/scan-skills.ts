/**
 * Finds skills in `resources/list` by URI: everything that ends with `/SKILL.md` in a folder. Clients did this before
 * there was an index, and still do without one. It is a guess from a spelling, which the final extension forbids for
 * servers that declare it. Such skills have no digests and cannot be verified.
 */
import { quoteText } from '../../skill/display-text.ts';
import { isSkillName } from '../../skill/name.ts';
import { resourceKey, tryParseResourceUri } from '../../skill/resource-uri.ts';
import { type DialectReading, type DialectSkill, type Loss, skillPathOfParsed } from '../dialect-skill.ts';
import { nameRemark } from '../legacy-name.ts';
import type { RefusedSkill } from '../skills-extension/decode-entry.ts';
import { type Remark, remark } from '../skills-extension/remark.ts';
import type { ListedResource } from './decode-resources-list.ts';

/** @internal for round trips and the dialects page */
export const resourceListLosses: readonly Loss[] = [
  { part: 'frontmatter', why: 'a row has a name and a description only' },
  { part: 'files', why: 'files need not be listed' },
  { part: 'sizes', why: 'there is no manifest' },
  { part: 'digests', why: 'there is no manifest' },
  { part: 'dynamic', why: 'nothing says whether bytes change' },
];

const ending = /\/SKILL\.md$/;

/** The skills among the rows, each once. Other rows are skipped. */
export function scanSkillFiles(resources: readonly ListedResource[]): DialectReading {
  const skills: DialectSkill[] = [];
  const refused: RefusedSkill[] = [];
  const remarks: Remark[] = [];
  const seen = new Set<string>();
  for (const row of resources) {
    const { uri } = row;
    if (!ending.test(uri) || /^skill:\/\/SKILL\.md$/i.test(uri)) continue;
    const parsed = tryParseResourceUri(uri);
    const skillPath = parsed === undefined ? undefined : skillPathOfParsed(parsed);
    if (parsed === undefined || skillPath === undefined) {
      const message = `uri ${quoteText(uri)} cannot be the URI of a skill file`;
      refused.push({ uri, faults: [{ requirement: 'list:skill-md', message }] });
      continue;
    }
    const key = resourceKey(parsed);
    if (seen.has(key)) continue;
    seen.add(key);
    const folder = skillPath.slice(skillPath.lastIndexOf('/') + 1);
    // Rows are named after the skill, its folder or the file, or have no name.
    const name = isSkillName(row.name) ? row.name : folder;
    if (name !== folder)
      remarks.push(
        remark('survey:path-is-locator', `the name ${quoteText(name)} is not the last segment of the path`, uri),
      );
    const nameFault = nameRemark(name, uri);
    if (nameFault !== undefined) remarks.push(nameFault);
    const description = row.description?.trim() === '' ? undefined : row.description;
    skills.push({
      uri,
      skillPath,
      name,
      ...(description === undefined ? {} : { description }),
      files: 'unknown',
      retrievals: [{ kind: 'read', uri }],
      verified: 'none',
    });
  }
  return { skills, refused, remarks };
}
