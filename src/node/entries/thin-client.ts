/**
 * Skills over any connected client of the MCP SDK, for programs without a host: no approvals, no cache, no windows. Everything is verified:
 * bytes that do not match the entry are never returned (SEP-2640: H-29, H-30, H-35).
 */
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ArchiveFile } from '../../archive/archive-file.ts';
import { writeTree } from '../../archive/write-tree.ts';
import { SkillwireError, VerificationError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type SkillEntry, type SkillResource, skillFileName } from '../../skill/entry.ts';
import { compareFrontmatter } from '../../skill/frontmatter-compare.ts';
import { pathBelow } from '../../skill/resource-uri.ts';
import { verifyBytes } from '../../skill/verify-bytes.ts';
import type { ConnectedClient } from '../../sources/mcp-server/client-wire.ts';
import { clientSource } from '../../sources/mcp-server/mcp-server-source.ts';
import type { RefusedEntry, SkillSource } from '../../sources/skill-source.ts';
import { pathsFault } from '../../sync/safe-path.ts';

export interface ClientCallOptions {
  readonly signal?: AbortSignal;
}

export interface ListedSkills {
  readonly skills: readonly SkillEntry[];
  /** Unusable entries with the reasons. Skills that are only served by URI are not listed at all. */
  readonly refused: readonly RefusedEntry[];
}

/**
 * Lists all skills of the server behind a connected client.
 *
 * No file is read.
 */
export async function listSkills(client: ConnectedClient, options: ClientCallOptions = {}): Promise<ListedSkills> {
  const skills: SkillEntry[] = [];
  const refused: RefusedEntry[] = [];
  for await (const page of clientSource(client).list(options)) {
    for (const { entry } of page.skills) skills.push(entry);
    refused.push(...(page.refused ?? []));
  }
  return { skills, refused };
}

/**
 * Gets the entry of a skill from the server behind a connected client.
 *
 * @throws SkillwireError SKILL_NOT_FOUND
 */
export async function getSkill(
  client: ConnectedClient,
  uri: string,
  options: ClientCallOptions = {},
): Promise<SkillEntry> {
  return entryOf(clientSource(client), uri, options);
}

/** A file read over a connected client. */
export interface ReadFile {
  readonly uri: string;
  readonly bytes: Uint8Array;
  /** False for dynamic skills, where only the frontmatter of `SKILL.md` is compared. */
  readonly verified: boolean;
  /** The skill of the file. */
  readonly entry: SkillEntry;
}

/**
 * Reads a file of a skill over a connected client and verifies it.
 *
 * @throws SKILL_NOT_FOUND if no skill of the server has it; VerificationError
 */
export async function readSkillUri(
  client: ConnectedClient,
  uri: string,
  options: ClientCallOptions = {},
): Promise<ReadFile> {
  const source = clientSource(client);
  const entry = await ownerOf(source, uri, options);
  if (entry.resources === 'dynamic') {
    const bytes = await open(source, uri, limits.skill.bytes, options);
    if (uri === entry.uri) requireSameFrontmatter(entry, bytes);
    return { uri, bytes, verified: false, entry };
  }
  const resource = entry.resources.find((file) => file.uri === uri);
  if (resource === undefined) throw unlisted(uri);
  return { uri, bytes: await openVerified(source, entry, resource, options), verified: true, entry };
}

export interface DownloadedSkill {
  readonly entry: SkillEntry;
  readonly folder: string;
  /** Paths below the folder. */
  readonly files: readonly string[];
}

/**
 * Downloads and verifies all files of a skill into a new folder.
 *
 * The folder must not exist yet; it appears complete or not at all. No file becomes executable. Dynamic skills cannot be downloaded, because
 * they have no list of files.
 */
export async function downloadSkill(
  client: ConnectedClient,
  uri: string,
  folder: string,
  options: ClientCallOptions = {},
): Promise<DownloadedSkill> {
  const source = clientSource(client);
  const entry = await entryOf(source, uri, options);
  if (entry.resources === 'dynamic') {
    const message = `Cannot download ${quoteText(uri)}: it is a dynamic skill, without a list of files or digests.`;
    throw new VerificationError('unlisted', message, { data: { uri } });
  }
  const paths = entry.resources.map((resource) => pathBelow(entry.uri, resource.uri)).sort();
  const fault = pathsFault(paths);
  if (fault !== undefined)
    throw new SkillwireError(
      'INVALID_SKILL',
      `Cannot download ${quoteText(uri)}: ${fault}. Ask its author to rename it.`,
      {
        data: { uri },
      },
    );
  const size = entry.resources.reduce((sum, resource) => sum + resource.size, 0);
  if (size > limits.skill.bytes)
    throw new VerificationError('limit', `Cannot download ${quoteText(uri)}: it is larger than a skill may be.`, {
      data: { uri, size, most: limits.skill.bytes },
    });
  const files: ArchiveFile[] = [];
  for (const resource of entry.resources)
    files.push({
      path: pathBelow(entry.uri, resource.uri),
      bytes: await openVerified(source, entry, resource, options),
      executable: false,
    });
  const target = resolve(folder);
  await mkdir(dirname(target), { recursive: true });
  await writeTree(files, target);
  return { entry, folder: target, files: paths };
}

async function entryOf(source: SkillSource, uri: string, options: ClientCallOptions): Promise<SkillEntry> {
  const found = await source.get(uri, options);
  if (found !== undefined) return found.entry;
  throw new SkillwireError('SKILL_NOT_FOUND', `The server has no skill ${quoteText(uri)}. List its skills first.`, {
    data: { uri },
  });
}

/** The innermost skill with this file. */
async function ownerOf(source: SkillSource, uri: string, options: ClientCallOptions): Promise<SkillEntry> {
  if (uri.endsWith(`/${skillFileName}`)) {
    const own = await source.get(uri, options);
    if (own !== undefined) return own.entry;
  }
  let outer: SkillEntry | undefined;
  for (let end = uri.lastIndexOf('/'); end > uri.indexOf('://') + 2; end = uri.lastIndexOf('/', end - 1)) {
    const candidate = `${uri.slice(0, end)}/${skillFileName}`;
    const found = candidate === uri ? undefined : await source.get(candidate, options);
    if (found === undefined) continue;
    const { resources } = found.entry;
    if (resources === 'dynamic' || resources.some((file) => file.uri === uri)) return found.entry;
    outer ??= found.entry;
  }
  if (outer !== undefined) throw unlisted(uri);
  throw new SkillwireError(
    'SKILL_NOT_FOUND',
    `Cannot read ${quoteText(uri)}: it belongs to no skill of the server. List its skills first.`,
    {
      data: { uri },
    },
  );
}

async function open(
  source: SkillSource,
  uri: string,
  maxBytes: number,
  options: ClientCallOptions,
): Promise<Uint8Array> {
  const file = await source.open(uri, { ...options, maxBytes });
  if (file !== undefined) return file.bytes;
  throw new VerificationError('missing', `Cannot read ${quoteText(uri)}: the server does not serve it.`, {
    data: { uri },
  });
}

async function openVerified(
  source: SkillSource,
  entry: SkillEntry,
  resource: SkillResource,
  options: ClientCallOptions,
): Promise<Uint8Array> {
  const bytes = await open(source, resource.uri, resource.size + 1, options);
  await verifyBytes(bytes, resource);
  if (resource.uri === entry.uri) requireSameFrontmatter(entry, bytes);
  return bytes;
}

function requireSameFrontmatter({ uri, frontmatter }: SkillEntry, bytes: Uint8Array): void {
  const { matches, differences } = compareFrontmatter(frontmatter, bytes);
  if (matches) return;
  const fields = differences.map(({ field }) => quoteText(field)).join(', ');
  const message = `Cannot use ${quoteText(uri)}: its frontmatter does not match the entry${fields === '' ? '' : ` in ${fields}`}.`;
  throw new VerificationError('frontmatter', message, { data: { uri, differences } });
}

function unlisted(uri: string): VerificationError {
  const message = `Cannot use ${quoteText(uri)}: the entry of the skill does not list it.`;
  return new VerificationError('unlisted', message, { data: { uri } });
}
