/**
 * Skills found by their URIs in `resources/list`: whatever ends with `/SKILL.md` in a folder. So did clients before
 * there was an index, and so they still do where there is none. It is a guess from a spelling, which the final
 * extension forbids for servers that declare it; what is found here has no digests and is verified by nothing.
 */
import { quoteText } from '../../skill/display-text.ts';
import { isSkillName } from '../../skill/name.ts';
import { resourceKey, tryParseResourceUri } from '../../skill/resource-uri.ts';
import { type DialectReading, type DialectSkill, skillPathOfParsed } from '../dialect-skill.ts';
import { nameRemark } from '../legacy-name.ts';
import type { Loss } from '../losses.ts';
import type { RefusedSkill } from '../skills-extension/decode-entry.ts';
import { type Remark, remark } from '../skills-extension/remark.ts';
import type { ListedResource } from './decode-resources-list.ts';

/** @internal for round trips and the page of the dialects */
export const resourceListLosses: readonly Loss[] = [
  { part: 'frontmatter', why: 'a row has a name and a description only' },
  { part: 'files', why: 'files need not be listed' },
  { part: 'sizes', why: 'there is no manifest' },
  { part: 'digests', why: 'there is no manifest' },
  { part: 'dynamic', why: 'nothing says whether bytes change' },
];

const ending = /\/SKILL\.md$/;

/** The skills among the rows, each once. Rows of other resources are passed over. */
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
      const message = `uri ${quoteText(uri)} is not a URI that could name a file of a skill`;
      refused.push({ uri, faults: [{ requirement: 'list:skill-md', message }] });
      continue;
    }
    const key = resourceKey(parsed);
    if (seen.has(key)) continue;
    seen.add(key);
    const folder = skillPath.slice(skillPath.lastIndexOf('/') + 1);
    // A row is named by the skill, by its folder, by the file, or not at all.
    const name = isSkillName(row.name) ? row.name : folder;
    if (name !== folder)
      remarks.push(
        remark('survey:path-is-locator', `the name ${quoteText(name)} is not the last part of the path`, uri),
      );
    const odd = nameRemark(name, uri);
    if (odd !== undefined) remarks.push(odd);
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
