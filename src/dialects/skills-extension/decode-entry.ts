/**
 * Reads one entry of `skills/list` or `skills/get` of another server (SEP-2640, "Skill"). An entry is refused if it could lead a host to
 * other bytes than it expects. Examples: a bad digest, a file outside the skill, names that collide on a disk. Untidy fields get a remark.
 * Unknown fields are dropped. `_meta` is kept, except for our own keys, which nobody else may set; only the one that can be checked stays.
 */

import { limits } from '../../limits.ts';
import { metaPrefix } from '../../project.ts';
import { clientFaults } from '../../skill/client-rules.ts';
import { quoteText } from '../../skill/display-text.ts';
import { executableMetaKey, type Frontmatter, type SkillEntry, type SkillResource } from '../../skill/entry.ts';
import { type EntryFault, examineEntry, type UriParts } from '../../skill/entry-faults.ts';
import { isJsonObject, type JsonObject } from '../../skill/json.ts';
import { decodeProvenance, originMetaKey } from '../../skill/provenance.ts';
import { tryParseResourceUri } from '../../skill/resource-uri.ts';
import { isSmallJson } from '../json-bounds.ts';
import { type Remark, remark } from './remark.ts';

export interface DecodedSkill {
  readonly entry: SkillEntry;
  /** Present if the origin listed files without size or digest for each; the entry is then `"dynamic"`. */
  readonly partial?: {
    readonly reason: 'no-size' | 'no-digest';
    readonly files: readonly { readonly uri: string; readonly digest?: string }[];
  };
}

export interface RefusedSkill {
  /** As far as readable, unchecked. */
  readonly uri?: string;
  readonly name?: string;
  readonly faults: readonly EntryFault[];
}

export type EntryReading =
  | { readonly ok: true; readonly skill: DecodedSkill; readonly remarks: readonly Remark[] }
  | { readonly ok: false; readonly refused: RefusedSkill };

/** Reads one entry. Never throws. */
export function decodeEntry(value: unknown): EntryReading {
  let unusual: string | undefined;
  const place = (field: string, uri: string, faults: EntryFault[]): UriParts | undefined => {
    const parsed = tryParseResourceUri(uri);
    if (parsed === undefined)
      faults.push({
        requirement: 'S-9',
        message: `${field} ${quoteText(uri)} cannot be the URI of a skill file`,
      });
    else if (!parsed.canonical) unusual ??= uri;
    return parsed;
  };
  const { faults, withoutSize } = examineEntry(value, { place, sizeRequired: false });
  if (!isJsonObject(value)) return { ok: false, refused: { faults } };
  const more = frontmatterFault(value['frontmatter']);
  if (faults.length > 0 || more !== undefined)
    return { ok: false, refused: refusal(value, more === undefined ? faults : [...faults, more]) };

  const wire = value as unknown as SkillEntry;
  const { uri } = wire;
  const remarks: Remark[] = [];
  if (unusual !== undefined)
    remarks.push(
      remark('S-9', `the URI ${quoteText(unusual)} is not in its usual spelling; some hosts change it`, uri),
    );
  remarkFrontmatter(wire.frontmatter, uri, remarks);
  const files = wire.resources === 'dynamic' ? [] : sorted(wire.resources);
  if (withoutSize > 0) {
    const how = withoutSize === files.length ? 'no file' : `${withoutSize} of ${files.length} files`;
    const has = withoutSize === files.length ? 'has a size' : 'have no size';
    remarks.push(remark('S-30', `${how} of the skill ${has}; it cannot be verified as a whole`, uri));
  }
  const known = new Set(files.map((file) => file.uri));
  const meta = decodeMeta(value['_meta'], known, uri, remarks);
  const entry: SkillEntry = {
    uri,
    frontmatter: wire.frontmatter,
    resources:
      wire.resources === 'dynamic' || withoutSize > 0
        ? 'dynamic'
        : files.map((file) => ({ uri: file.uri, digest: file.digest, size: file.size })),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
  const partial =
    withoutSize === 0
      ? undefined
      : { reason: 'no-size' as const, files: files.map((file) => ({ uri: file.uri, digest: file.digest })) };
  return { ok: true, skill: partial === undefined ? { entry } : { entry, partial }, remarks };
}

function refusal(value: JsonObject, faults: readonly EntryFault[]): RefusedSkill {
  const frontmatter = value['frontmatter'];
  const name = isJsonObject(frontmatter) ? frontmatter['name'] : undefined;
  const uri = value['uri'];
  const most = limits.origin.faults;
  return {
    ...(typeof uri === 'string' ? { uri: uri.slice(0, limits.uri.characters) } : {}),
    ...(typeof name === 'string' ? { name: name.slice(0, limits.uri.characters) } : {}),
    faults:
      faults.length <= most
        ? faults
        : [...faults.slice(0, most), { requirement: 'S-5', message: `and ${faults.length - most} more faults` }],
  };
}

/** By code unit, as in our entries; most servers already send them so. */
function sorted(files: readonly SkillResource[]): readonly SkillResource[] {
  const inOrder = files.every((file, index) => index === 0 || (files[index - 1]?.uri ?? '') <= file.uri);
  return inOrder ? files : [...files].sort((a, b) => (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0));
}

function frontmatterFault(frontmatter: unknown): EntryFault | undefined {
  const { depth, nodes } = limits.frontmatter;
  if (!isJsonObject(frontmatter) || isSmallJson(frontmatter, depth, nodes)) return undefined;
  return { requirement: 'S-23', message: `frontmatter has more than ${depth} levels or ${nodes} values` };
}

function remarkFrontmatter(frontmatter: Frontmatter, uri: string, remarks: Remark[]): void {
  for (const { message } of clientFaults(frontmatter))
    remarks.push(remark('S-5', `${message}; the official MCP client rejects listings with this skill`, uri));
}

function decodeMeta(
  value: unknown,
  files: ReadonlySet<string>,
  uri: string,
  remarks: Remark[],
): JsonObject | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value) || !isSmallJson(value, limits.origin.metaDepth, limits.origin.metaNodes)) {
    remarks.push(remark('S-59', '_meta is not an object of moderate size; it is ignored', uri));
    return undefined;
  }
  const accepted: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (!key.startsWith(metaPrefix)) {
      Object.defineProperty(accepted, key, { value: inner, enumerable: true, writable: true, configurable: true });
    } else if (key === executableMetaKey) {
      if (isListOf(inner, files)) accepted[key] = inner;
      else remarks.push(remark('S-59', `_meta ${quoteText(key)} does not list files of the skill`, uri));
    } else if (key === originMetaKey) {
      const provenance = decodeProvenance(inner);
      if (provenance !== undefined) accepted[key] = provenance;
    }
  }
  return Object.keys(accepted).length === 0 ? undefined : accepted;
}

function isListOf(value: unknown, files: ReadonlySet<string>): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && files.has(item));
}
