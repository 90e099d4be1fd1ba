/**
 * Skills of NimbleBrain servers: one resource `skill://{server}/usage` with plain Markdown, and a sentence in
 * `instructions` that says to read it first. There are no files, frontmatter or digests, and only the scheme
 * distinguishes such a resource. So they are read only from origins for which a person allowed it.
 */

import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isSkillName, suggestName } from '../../skill/name.ts';
import { buildSkillUri, tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { DialectReading, DialectSkill, Loss } from '../dialect-skill.ts';
import type { ListedResource } from '../resource-list/decode-resources-list.ts';
import { splitArchivePath } from '../skill-index/archive-uri.ts';
import type { RefusedSkill } from '../skills-extension/decode-entry.ts';
import { parseGrovesUri } from '../skills-over-mcp/groves-uris.ts';

/** @internal for round trips and the dialects page */
export const nimblebrainLosses: readonly Loss[] = [
  { part: 'prefix', why: 'the URI has the name of the server and a topic' },
  { part: 'frontmatter', why: 'the text may have none, and no listing carries it' },
  { part: 'files', why: 'a skill is one resource' },
  { part: 'sizes', why: 'there is no manifest' },
  { part: 'digests', why: 'there is no manifest' },
  { part: 'dynamic', why: 'nothing says whether bytes change' },
];

export interface UsageRow {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: 'text/markdown';
}

/** The row of `resources/list`, if it is listed. */
export function encodeUsageRow(label: string, description: string): UsageRow {
  return { uri: usageUri(label), name: `${label}_skill`, description, mimeType: 'text/markdown' };
}

/** Resources that may be such skills. Other rows are ignored. */
export function decodeUsageRows(resources: readonly ListedResource[]): DialectReading {
  const rows = new Map<string, { readonly row: ListedResource; readonly server: string; readonly topic: string }>();
  const perServer = new Map<string, number>();
  for (const row of resources) {
    const parsed = tryParseSkillUri(row.uri);
    const [server, ...topic] = parsed?.segments ?? [];
    if (parsed === undefined || server === undefined || rows.has(parsed.uri) || !mayBeUsage(row)) continue;
    rows.set(parsed.uri, { row, server, topic: topic.join('-') });
    perServer.set(server, (perServer.get(server) ?? 0) + 1);
  }
  const skills: DialectSkill[] = [];
  const refused: RefusedSkill[] = [];
  for (const { row, server, topic } of rows.values()) {
    const short = topic === usageTopic || perServer.get(server) === 1;
    const name = suggestName(short ? server : `${server}-${topic}`);
    if (name === undefined) {
      const message = `no name can be derived from ${quoteText(row.uri)}`;
      refused.push({ uri: row.uri, faults: [{ requirement: 'nimblebrain:usage', message }] });
      continue;
    }
    const description = row.description?.trim() === '' ? undefined : row.description;
    skills.push({
      uri: row.uri,
      skillPath: name,
      name,
      ...(description === undefined ? {} : { description }),
      files: 'unknown',
      retrievals: [{ kind: 'read', uri: row.uri }],
      verified: 'none',
    });
  }
  return { skills, refused, remarks: [] };
}

/** Text below `skill://` that has no meaning in any other dialect. */
function mayBeUsage({ uri, mimeType }: ListedResource): boolean {
  const parsed = tryParseSkillUri(uri);
  if (parsed === undefined || parsed.trailingSlash || parsed.segments.length < 2) return false;
  if (mimeType !== undefined && !/^text\//i.test(mimeType)) return false;
  const last = parsed.segments.at(-1) ?? '';
  if (last === 'SKILL.md' || last === '_manifest' || splitArchivePath(last) !== undefined) return false;
  return parseGrovesUri(uri)?.kind === 'skill';
}

/** The description of a text without frontmatter: its first heading, or its first line. */
export function usageDescription(text: string): string | undefined {
  const lines = text.slice(0, limits.frontmatter.bytes).split(/\r\n|\r|\n/);
  const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line))?.replace(/^#+\s+/, '');
  const line = (heading ?? lines.find((one) => one.trim() !== ''))?.trim();
  return line?.slice(0, limits.skill.descriptionLength);
}

export const usageTopic = 'usage';

/** The URI of a server's skill. Throws `USAGE` if the label is not a name. */
export function usageUri(label: string): string {
  if (!isSkillName(label))
    throw new SkillwireError(
      'USAGE',
      `Cannot create a usage URI for the server ${quoteText(label)}. Use a-z, 0-9 and hyphens.`,
    );
  return buildSkillUri([label, usageTopic]);
}

/** The sentence for `instructions`. */
export function encodeUsageInstructions(label: string): string {
  return `Read the resource ${usageUri(label)} before you use the tools of this server: it says when to use which.`;
}
