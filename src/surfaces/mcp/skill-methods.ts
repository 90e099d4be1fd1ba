/**
 * The answers of the Skills extension (SEP-2640) and of the resource methods it stands on, from a catalog. Nothing here
 * knows a transport or an SDK: parameters and results are plain records, refusals are `SkillwireError`s whose row in the
 * table names the JSON-RPC code. Every answer comes from one snapshot.
 *
 * `skills/list` and `resources/list` show listed skills only; `skills/get` and `resources/read` answer for every skill that
 * is served. Lookups go through the snapshot, so a URI that was not published does not exist, however it is spelled.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { DirectoryChild, SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type SkillEntry, skillFileName } from '../../skill/entry.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import { type CacheHint, cacheFields, catalogHint, listHint, type MethodCall, skillHint } from './cache-fields.ts';
import { completePath, type PathCompletion } from './complete-path.ts';
import { decodeCursor, encodeCursor } from './cursors.ts';
import { type ResourceContents, resourceContents } from './file-contents.ts';
import type { PageParams, UriParams } from './method-params.ts';
import { defaultPageBounds, type Page, type PageBounds, pageOf, type Row } from './pages.ts';

export const skillTemplate = 'skill://{+path}';

export interface ResourceRow {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType: string;
  readonly size?: number;
}

export interface ResourceTemplateRow {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

interface Paged {
  readonly nextCursor?: string;
}

type Cacheable = Partial<CacheHint>;

export type ListSkillsAnswer = { readonly skills: readonly SkillEntry[] } & Paged & Cacheable;
export type GetSkillAnswer = { readonly skill: SkillEntry } & Cacheable;
export type ListResourcesAnswer = { readonly resources: readonly ResourceRow[] } & Paged & Cacheable;
export type ReadResourceAnswer = { readonly contents: readonly ResourceContents[] } & Cacheable;
export type ListTemplatesAnswer = { readonly resourceTemplates: readonly ResourceTemplateRow[] } & Cacheable;

export interface SkillMethods {
  listSkills(params: PageParams, call: MethodCall): Promise<ListSkillsAnswer>;
  getSkill(params: UriParams, call: MethodCall): Promise<GetSkillAnswer>;
  readDirectory(params: UriParams & PageParams, call: MethodCall): Promise<ListResourcesAnswer>;
  listResources(params: PageParams, call: MethodCall): Promise<ListResourcesAnswer>;
  readResource(params: UriParams, call: MethodCall): Promise<ReadResourceAnswer>;
  listResourceTemplates(params: PageParams, call: MethodCall): ListTemplatesAnswer;
  /** Values for the variable of the template that begin with what was typed. */
  completePath(value: string, call: MethodCall): Promise<PathCompletion>;
  /** The canonical URI of a file that is served; used where a client subscribes to one. */
  resolveFile(uri: string, call: MethodCall): Promise<string>;
}

export interface SkillMethodsOptions {
  /** Largest page; the limits of the table by default. */
  readonly pages?: PageBounds;
}

export const templateRow: ResourceTemplateRow = {
  uriTemplate: skillTemplate,
  name: 'skill-file',
  title: 'File of a skill',
  description: `A file of an Agent Skill. "${skillTemplate.replace('{+path}', '<skill>/')}${skillFileName}" is where a skill begins.`,
};

const resourceRows = new WeakMap<SkillRecord, ResourceRow>();

/** The row of a skill's `SKILL.md` in `resources/list`. */
function resourceRow(record: SkillRecord): ResourceRow {
  let row = resourceRows.get(record);
  if (row === undefined) {
    const { uri, frontmatter } = record.entry;
    const size = record.files.get(skillFileName)?.resource?.size;
    row = {
      uri,
      name: frontmatter.name,
      description: frontmatter.description,
      mimeType: 'text/markdown',
      ...(size === undefined ? {} : { size }),
    };
    resourceRows.set(record, row);
  }
  return row;
}

function childRow({ uri, name, mediaType, size }: DirectoryChild): ResourceRow {
  return { uri, name, mimeType: mediaType, ...(size === undefined ? {} : { size }) };
}

const recordUri = (record: SkillRecord): string => record.entry.uri;

function nextCursor(page: Page<Row>): Paged {
  return page.last === undefined ? {} : { nextCursor: encodeCursor(page.last) };
}

function foreignCursor(): SkillwireError {
  return new SkillwireError(
    'INVALID_CURSOR',
    'cannot continue the list: the cursor belongs to another list; start again without a cursor',
  );
}

/** Where a list of skills continues. */
function afterSkill({ cursor }: PageParams): string | undefined {
  const after = decodeCursor(cursor);
  if (after !== undefined && !after.endsWith(`/${skillFileName}`)) throw foreignCursor();
  return after;
}

/** Where a directory continues; its children all have the same parent. */
function afterChild({ cursor }: PageParams, children: readonly DirectoryChild[]): string | undefined {
  const after = decodeCursor(cursor);
  const parentOf = (uri: string): string => uri.slice(0, uri.lastIndexOf('/'));
  if (after !== undefined && parentOf(after) !== parentOf(children[0]?.uri ?? '')) throw foreignCursor();
  return after;
}

function noSkill(uri: string, snapshot: Snapshot): SkillwireError {
  const file = snapshot.file(uri);
  let reason = 'no skill is served there; skills/list names the listed ones';
  if (file?.path === skillFileName && file.uri === file.skill.entry.uri)
    reason = `it is another name of "${file.uri}"; ask for that`;
  else if (file !== undefined)
    reason = `it is a file of the skill "${file.skill.entry.uri}"; use resources/read for files`;
  else if (snapshot.directory(uri) !== undefined)
    reason = `it is a directory; the URI of a skill ends with "/${skillFileName}"`;
  return new SkillwireError('SKILL_NOT_FOUND', `cannot get the skill ${quoteText(uri)}: ${reason}`, { data: { uri } });
}

function noFile(uri: string, snapshot: Snapshot): SkillwireError {
  const reason =
    snapshot.directory(uri) === undefined
      ? 'no served skill has this file'
      : 'it is a directory; use resources/directory/read';
  return new SkillwireError('FILE_NOT_FOUND', `cannot read ${quoteText(uri)}: ${reason}`, { data: { uri } });
}

export function createSkillMethods(catalog: Catalog, options: SkillMethodsOptions = {}): SkillMethods {
  const bounds = options.pages ?? defaultPageBounds;

  return {
    async listSkills(params, { era, context }) {
      const after = afterSkill(params);
      const snapshot = await catalog.snapshot(context.signal);
      const page = pageOf(snapshot.listed, recordUri, (record) => record.entry, after, bounds);
      return { skills: page.rows, ...nextCursor(page), ...cacheFields(era, listHint(catalog, snapshot, context)) };
    },

    async getSkill({ uri }, { era, context }) {
      const parsed = tryParseSkillUri(uri);
      const named = parsed !== undefined && !parsed.trailingSlash && parsed.segments.at(-1) === skillFileName;
      const record = named ? await catalog.find(parsed.uri, context) : undefined;
      if (record === undefined) throw noSkill(uri, await catalog.snapshot(context.signal));
      return { skill: record.entry, ...cacheFields(era, skillHint(catalog, record, context)) };
    },

    async readDirectory(params, { era, context }) {
      const snapshot = await catalog.snapshot(context.signal);
      const children = snapshot.directory(params.uri);
      if (children === undefined) {
        const reason =
          snapshot.file(params.uri) === undefined ? 'no such directory is served' : 'it is a file; use resources/read';
        throw new SkillwireError(
          'DIRECTORY_NOT_FOUND',
          `cannot read the directory ${quoteText(params.uri)}: ${reason}`,
          {
            data: { uri: params.uri },
          },
        );
      }
      const page = pageOf(children, (child) => child.uri, childRow, afterChild(params, children), bounds);
      return { resources: page.rows, ...nextCursor(page), ...cacheFields(era, listHint(catalog, snapshot, context)) };
    },

    async listResources(params, { era, context }) {
      const after = afterSkill(params);
      const snapshot = await catalog.snapshot(context.signal);
      const page = pageOf(snapshot.listed, recordUri, resourceRow, after, bounds);
      return { resources: page.rows, ...nextCursor(page), ...cacheFields(era, listHint(catalog, snapshot, context)) };
    },

    async readResource({ uri }, { era, context }) {
      try {
        const content = await catalog.read(uri, context);
        const hint = skillHint(catalog, content.file.skill, context);
        return { contents: [resourceContents(uri, content)], ...cacheFields(era, hint) };
      } catch (error) {
        if (!(error instanceof SkillwireError) || error.code !== 'FILE_NOT_FOUND') throw error;
        throw noFile(uri, await catalog.snapshot(context.signal));
      }
    },

    listResourceTemplates({ cursor }, { era, context }) {
      if (cursor !== undefined) throw foreignCursor();
      const hint = catalogHint(catalog, context.principal !== undefined);
      return { resourceTemplates: [templateRow], ...cacheFields(era, hint) };
    },

    async completePath(value, { context }) {
      return completePath(await catalog.snapshot(context.signal), value);
    },

    async resolveFile(uri, { context }) {
      const snapshot = await catalog.snapshot(context.signal);
      const file = snapshot.file(uri);
      if (file !== undefined) return file.uri;
      const skill = tryParseSkillUri(uri) === undefined ? undefined : await catalog.find(uri, context);
      if (skill === undefined) throw noFile(uri, snapshot);
      return skill.entry.uri;
    },
  };
}
