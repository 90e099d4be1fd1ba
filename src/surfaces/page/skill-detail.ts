/** Everything that the page shows about one skill, from one snapshot and the texts of its files. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { FileRecord, SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { executableMetaKey } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import type { FileRow, SkillDetail } from './page-data.ts';
import type { PageOrigins, PagePins, PageReview } from './page-ports.ts';
import type { VersionData } from './review-data.ts';
import { findingsOf, rowsOf, shownOrigin } from './skill-rows.ts';

export interface DetailContext {
  readonly catalog: Catalog;
  readonly snapshot: Snapshot;
  /** The snapshot of what agents get. */
  readonly served: Snapshot;
  readonly origins: PageOrigins;
  readonly review: PageReview;
  readonly pins?: PagePins | undefined;
  readonly trusted: boolean;
  readonly signal: AbortSignal;
}

const charactersPerToken = 4;

export async function skillDetail(skill: SkillRecord, context: DetailContext): Promise<SkillDetail> {
  const { snapshot, origins, review, trusted } = context;
  const label = origins.labelOf(skill);
  const { rowOf } = await rowsOf(context);
  const standing = (await review.standings(snapshot))(skill);
  const texts = await textsOf(skill, context);
  const versions = trusted ? await review.versions(skill) : [];
  const setDigest = await review.setDigest(skill);
  const dialect = origins.dialectOf?.(label);
  const { name } = skill.entry.frontmatter;
  const [first, last] = [versions[0], versions.at(-1)];
  const pin = context.pins?.pinOf(skill);
  const signature = review.signature(skill);
  return {
    row: rowOf(skill),
    entry: skill.entry,
    path: skill.path,
    files: [...skill.files.values()].map((file) => fileRow(file, review, texts.get(file.uri))),
    findings: trusted ? findingsOf(snapshot, skill.entry.uri) : [],
    setDigest,
    asks: review.asks(skill, texts),
    aliases: skill.source.aliases ?? [],
    collisions: snapshot.skills
      .filter((other) => other !== skill && other.entry.frontmatter.name === name)
      .slice(0, limits.page.findings)
      .map((other) => ({ uri: other.entry.uri, origin: shownOrigin(origins, other, trusted) })),
    provenance: {
      origin: shownOrigin(origins, skill, trusted),
      kind: origins.kindOf(label),
      dialect,
      firstSeen: first?.firstSeen,
      lastSeen: last?.lastSeen,
      versions: versions.length,
    },
    ...(trusted && standing.approval !== undefined ? { approval: standing.approval } : {}),
    signature,
    ...updateOf(skill, versions),
    ...statedFacts(skill, trusted ? origins.webAddressOf?.(label) : undefined),
    pin,
    ...tokensOf(skill, texts),
  };
}

/** The newest change of a file. If the origin does not know it, the time when another version was replaced by this one. */
function updateOf({ source }: SkillRecord, versions: readonly VersionData[]): Pick<SkillDetail, 'updated'> {
  if (source.updatedMs !== undefined) return { updated: new Date(source.updatedMs).toISOString() };
  const current = versions.find((version) => version.current);
  return current === undefined || versions.length < 2 ? {} : { updated: current.firstSeen };
}

/** Keys of `metadata` and of the frontmatter under which authors name the home of a skill. */
const sourceKeys = ['source', 'repository', 'homepage', 'url', 'website'];

/** Facts that the author states. Only an address that a browser opens safely is a source. @param home of the origin, if none is stated */
function statedFacts(
  { entry: { frontmatter } }: SkillRecord,
  home: string | undefined,
): Pick<SkillDetail, 'license' | 'source'> {
  const { license, metadata } = frontmatter;
  const stated = isJsonObject(metadata) ? metadata : {};
  const source = sourceKeys.flatMap((key) => [stated[key], frontmatter[key]]).find(isWebAddress) ?? home;
  return {
    ...(typeof license === 'string' && license.trim() !== '' ? { license: license.slice(0, 200) } : {}),
    source,
  };
}

function isWebAddress(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= limits.page.addressCharacters &&
    /^https?:\/\//i.test(value) &&
    URL.canParse(value)
  );
}

function fileRow({ skill, path, uri, mediaType, resource }: FileRecord, review: PageReview, text?: string): FileRow {
  const executable = skill.entry._meta?.[executableMetaKey];
  return {
    path,
    uri,
    mediaType,
    size: resource?.size,
    digest: resource?.digest,
    executable: Array.isArray(executable) && executable.includes(uri),
    script: review.isScript(path, text),
  };
}

/** Texts of small files. Live skills are read only on request. */
async function textsOf(
  { entry, files }: SkillRecord,
  { catalog, signal }: DetailContext,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  if (entry.resources === 'dynamic') return texts;
  let left: number = limits.page.textBytes * 4;
  for (const { uri, resource } of files.values()) {
    if (resource === undefined || resource.size > limits.page.textBytes || resource.size > left) continue;
    left -= resource.size;
    const text = decodeUtf8((await catalog.read(uri, { signal })).bytes);
    if (text !== undefined) texts.set(uri, text);
  }
  return texts;
}

function tokensOf({ entry }: SkillRecord, texts: ReadonlyMap<string, string>): Pick<SkillDetail, 'tokens'> {
  const skillMd = texts.get(entry.uri);
  if (skillMd === undefined) return {};
  const { name, description } = entry.frontmatter;
  let all = 0;
  for (const text of texts.values()) all += text.length;
  const tokens = (characters: number): number => Math.ceil(characters / charactersPerToken);
  return {
    tokens: { catalog: tokens(name.length + description.length), skillMd: tokens(skillMd.length), all: tokens(all) },
  };
}
