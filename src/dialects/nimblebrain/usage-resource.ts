/**
 * Skills as NimbleBrain's servers have them: one resource `skill://{server}/usage` with plain Markdown, and a sentence
 * in `instructions` that says to read it first. No files, no frontmatter, no digests, and nothing but the scheme to
 * tell such a resource from any other: so they are read only from origins for which a person has said so.
 */
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { suggestName } from '../../skill/name.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { DialectReading, DialectSkill } from '../dialect-skill.ts';
import type { Loss } from '../losses.ts';
import type { ListedResource } from '../resource-list/decode-resources-list.ts';
import { splitArchivePath } from '../skill-index/archive-uri.ts';
import type { RefusedSkill } from '../skills-extension/decode-entry.ts';
import { parseGrovesUri } from '../skills-over-mcp/groves-uris.ts';
import { usageTopic, usageUri } from './usage-address.ts';

/** @internal for round trips and the page of the dialects */
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

/** The row of `resources/list`, where it is listed at all. */
export function encodeUsageRow(label: string, description: string): UsageRow {
  return { uri: usageUri(label), name: `${label}_skill`, description, mimeType: 'text/markdown' };
}

/** Resources that may be such skills. Nothing is concluded about the others. */
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
      const message = `no name can be made of ${quoteText(row.uri)}`;
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

/** Text below `skill://` that no other dialect has a meaning for. */
function mayBeUsage({ uri, mimeType }: ListedResource): boolean {
  const parsed = tryParseSkillUri(uri);
  if (parsed === undefined || parsed.trailingSlash || parsed.segments.length < 2) return false;
  if (mimeType !== undefined && !/^text\//i.test(mimeType)) return false;
  const last = parsed.segments.at(-1) ?? '';
  if (last === 'SKILL.md' || last === '_manifest' || splitArchivePath(last) !== undefined) return false;
  return parseGrovesUri(uri)?.kind === 'skill';
}

/** What a text without frontmatter says about itself: its first heading, else its first line. */
export function usageDescription(text: string): string | undefined {
  const lines = text.slice(0, limits.frontmatter.bytes).split(/\r\n|\r|\n/);
  const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line))?.replace(/^#+\s+/, '');
  const line = (heading ?? lines.find((one) => one.trim() !== ''))?.trim();
  return line?.slice(0, limits.skill.descriptionLength);
}
