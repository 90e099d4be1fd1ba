/**
 * Rows of `resources/list` in skilljack-mcp 0.5.1: one for the `SKILL.md` of a skill and one for its collection. There
 * are only names: no paths, no manifest, nothing to verify.
 */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isSkillName } from '../../skill/name.ts';
import { buildSkillUri, tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { DialectReading, DialectSkill, Loss } from '../dialect-skill.ts';
import { legacyNameFault, nameRemark } from '../legacy-name.ts';
import { encodePath, relativePathFault } from '../relative-path.ts';
import type { ListedResource } from '../resource-list/decode-resources-list.ts';
import type { Remark } from '../skills-extension/remark.ts';

/** @internal for round trips and the dialects page */
export const skilljackLosses: readonly Loss[] = [
  { part: 'prefix', why: 'a skill is a name' },
  { part: 'frontmatter', why: 'a row has a name and a description only' },
  { part: 'files', why: 'files are known after reading the collection' },
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
      `Cannot list the skill ${quoteText(name)} by name: it is not a valid skill name.`,
    );
  const mimeType = 'text/markdown';
  return [
    { uri: buildSkilljackUri({ kind: 'skill', name }), name, description, mimeType },
    { uri: buildSkilljackUri({ kind: 'collection', name }), name: `${name}/`, description, mimeType },
  ];
}

/** Skills among the rows: Markdown at `skill://name`. Other rows are skipped. */
export function decodeSkilljackRows(resources: readonly ListedResource[]): DialectReading {
  const skills = new Map<string, DialectSkill>();
  const remarks: Remark[] = [];
  for (const { uri, mimeType, description } of resources) {
    const parsed = parseSkilljackUri(uri);
    if (parsed?.kind !== 'skill' || !isMarkdown(mimeType) || skills.has(parsed.name)) continue;
    const { name } = parsed;
    const nameFault = nameRemark(name, uri);
    if (nameFault !== undefined) remarks.push(nameFault);
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

/**
 * URIs of skilljack-mcp before it adopted SEP-2640 (0.5.1): `skill://name` is the text of `SKILL.md`, `skill://name/` a collection of all
 * other files, and `skill://` everything. `skill://name/file` is a file that only a tool reads but clients can subscribe to. The name is
 * one percent-encoded segment.
 */
export type SkilljackUri =
  | { readonly kind: 'all' }
  | { readonly kind: 'skill'; readonly name: string }
  | { readonly kind: 'collection'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly path: string };

export const allSkillsUri = 'skill://';

export const skilljackTemplates = {
  skill: 'skill://{skillName}',
  collection: 'skill://{skillName}/',
} as const;

/** Parses a URI of this dialect; `undefined` for any other. */
export function parseSkilljackUri(uri: string): SkilljackUri | undefined {
  const parsed = tryParseSkillUri(uri);
  if (parsed === undefined) return undefined;
  const [name, ...rest] = parsed.segments;
  if (name === undefined) return { kind: 'all' };
  if (rest.length === 0) return { kind: parsed.trailingSlash ? 'collection' : 'skill', name };
  return parsed.trailingSlash ? undefined : { kind: 'file', name, path: rest.join('/') };
}

/** Builds a URI of this dialect. Throws `INVALID_URI` for a name or path that it cannot carry. */
export function buildSkilljackUri(target: SkilljackUri): string {
  if (target.kind === 'all') return allSkillsUri;
  const fault = legacyNameFault(target.name);
  if (fault !== undefined) throw refusal(target.name, fault);
  const uri = buildSkillUri([target.name]);
  if (target.kind === 'skill') return uri;
  if (target.kind === 'collection') return `${uri}/`;
  const badPath = relativePathFault(target.path);
  if (badPath !== undefined) throw refusal(target.path, badPath);
  return `${uri}/${encodePath(target.path)}`;
}

function refusal(text: string, fault: string): SkillwireError {
  return new SkillwireError('INVALID_URI', `Cannot create a skill URI from ${quoteText(text)}: it ${fault}.`, {
    data: { text },
  });
}
