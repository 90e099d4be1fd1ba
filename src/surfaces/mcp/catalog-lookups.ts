/**
 * Finds skills, files and directories in a catalog, and writes the errors for missing ones. Requests through the SDK and past it share
 * these lookups. They use the snapshot, so an unpublished URI does not exist in any spelling.
 */
import { andThen, type MaybePromise, orElse } from '../../async/maybe-promise.ts';
import type { Catalog, FileContent } from '../../catalog/catalog.ts';
import type { DirectoryChild, SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { SourceContext } from '../../sources/skill-source.ts';
import type { PageParams, UriParams } from './method-params.ts';
import { type BoundsFor, decodeCursor, type Page, pageOf } from './pages.ts';

export interface ResourceRow {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType: string;
  readonly size?: number;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

function childRow({ uri, name, mediaType, size }: DirectoryChild): ResourceRow {
  return { uri, name, mimeType: mediaType, size };
}

export function foreignCursor(): SkillwireError {
  return new SkillwireError('INVALID_CURSOR', 'The cursor belongs to another list. Start again without a cursor.');
}

/** The URI after which a list of skills continues. */
export function afterSkill({ cursor }: PageParams): string | undefined {
  const after = decodeCursor(cursor);
  if (after !== undefined && !after.endsWith(`/${skillFileName}`)) throw foreignCursor();
  return after;
}

/** The URI after which a list of resources continues. Such a list can contain other rows than skills. */
export function afterResource({ cursor }: PageParams, mayList: (uri: string) => boolean): string | undefined {
  const after = decodeCursor(cursor);
  if (after !== undefined && !mayList(after)) throw foreignCursor();
  return after;
}

/** The URI after which a directory continues. All children have the same parent. */
function afterChild({ cursor }: PageParams, children: readonly DirectoryChild[]): string | undefined {
  const after = decodeCursor(cursor);
  const parentOf = (uri: string): string => uri.slice(0, uri.lastIndexOf('/'));
  if (after !== undefined && parentOf(after) !== parentOf(children[0]?.uri ?? '')) throw foreignCursor();
  return after;
}

function noSkill(uri: string, snapshot: Snapshot): SkillwireError {
  const file = snapshot.file(uri);
  let reason = 'no skill has this URI. Use skills/list to find skills.';
  if (file?.path === skillFileName && file.uri === file.skill.entry.uri)
    reason = `it is an alias of "${file.uri}". Use that URI.`;
  else if (file !== undefined)
    reason = `it is a file of the skill "${file.skill.entry.uri}". Use resources/read for files.`;
  else if (snapshot.directory(uri) !== undefined)
    reason = `it is a directory. The URI of a skill ends with "/${skillFileName}".`;
  return new SkillwireError('SKILL_NOT_FOUND', `Cannot get the skill ${quoteText(uri)}: ${reason}`, { data: { uri } });
}

export function noFile(uri: string, snapshot: Snapshot): SkillwireError {
  const reason =
    snapshot.directory(uri) === undefined
      ? 'no served skill has this file.'
      : 'it is a directory. Use resources/directory/read.';
  return new SkillwireError('FILE_NOT_FOUND', `Cannot read ${quoteText(uri)}: ${reason}`, { data: { uri } });
}

/** The skill with this URI or alias, listed or not. */
export function findSkill(catalog: Catalog, uri: string, context: SourceContext): MaybePromise<SkillRecord> {
  return andThen(catalog.snapshot(context), (snapshot) => snapshot.skill(uri) ?? findUnlisted(catalog, uri, context));
}

async function findUnlisted(catalog: Catalog, uri: string, context: SourceContext): Promise<SkillRecord> {
  const parsed = tryParseSkillUri(uri);
  const named = parsed !== undefined && !parsed.trailingSlash && parsed.segments.at(-1) === skillFileName;
  const record = named ? await catalog.find(parsed.uri, context) : undefined;
  if (record !== undefined) return record;
  const snapshot = await catalog.snapshot(context);
  const aliased = snapshot.aliased(uri);
  if (aliased === undefined) throw noSkill(uri, snapshot);
  return aliased;
}

/** True if no file has the address. It may still be a dialect address. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof SkillwireError && error.code === 'FILE_NOT_FOUND';
}

/** The bytes of a file. */
export function readFile(catalog: Catalog, uri: string, context: SourceContext): MaybePromise<FileContent> {
  return orElse(
    () => catalog.read(uri, context),
    async (error) => {
      throw isMissingFile(error) ? noFile(uri, await catalog.snapshot(context)) : error;
    },
  );
}

/** A page of the children of a directory. */
export function directoryPage(
  snapshot: Snapshot,
  params: UriParams & PageParams,
  bounds: BoundsFor,
): Page<ResourceRow> {
  const children = snapshot.directory(params.uri);
  if (children === undefined) {
    const reason = snapshot.file(params.uri) === undefined ? 'it does not exist.' : 'it is a file. Use resources/read.';
    throw new SkillwireError('DIRECTORY_NOT_FOUND', `Cannot read the directory ${quoteText(params.uri)}: ${reason}`, {
      data: { uri: params.uri },
    });
  }
  return pageOf(children, (child) => child.uri, childRow, afterChild(params, children), bounds(children.length));
}
