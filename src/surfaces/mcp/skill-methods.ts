/**
 * The answers of the Skills extension (SEP-2640) and of the resource methods it stands on, from a catalog. Nothing here
 * knows a transport or an SDK: parameters and results are plain records, refusals are `SkillwireError`s whose row in the
 * table names the JSON-RPC code. Every answer comes from one snapshot.
 *
 * `skills/list` and `resources/list` show listed skills only; `skills/get` and `resources/read` answer for every skill that
 * is served. Lookups go through the snapshot, so a URI that was not published does not exist, however it is spelled.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { type SkillEntry, skillFileName } from '../../skill/entry.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import { type CacheHint, cacheFields, catalogHint, listHint, type MethodCall, skillHint } from './cache-fields.ts';
import {
  afterSkill,
  directoryPage,
  findSkill,
  foreignCursor,
  noFile,
  type ResourceRow,
  readFile,
} from './catalog-lookups.ts';
import { completePath, type PathCompletion } from './complete-path.ts';
import { encodeCursor } from './cursors.ts';
import { type ResourceContents, resourceContents } from './file-contents.ts';
import type { PageParams, UriParams } from './method-params.ts';
import { type Page, type PageBounds, pageBounds, pageOf, type Row } from './pages.ts';

export const skillTemplate = 'skill://{+path}';

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
  listResourceTemplates(params: PageParams, call: MethodCall): Promise<ListTemplatesAnswer>;
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

const recordUri = (record: SkillRecord): string => record.entry.uri;

function nextCursor(page: Page<Row>): Paged {
  return page.last === undefined ? {} : { nextCursor: encodeCursor(page.last) };
}

export function createSkillMethods(catalog: Catalog, options: SkillMethodsOptions = {}): SkillMethods {
  const bounds = pageBounds(options.pages);

  return {
    async listSkills(params, { era, context }) {
      const after = afterSkill(params);
      const snapshot = await catalog.snapshot(context.signal);
      const page = pageOf(snapshot.listed, recordUri, (record) => record.entry, after, bounds(snapshot.listed.length));
      return { skills: page.rows, ...nextCursor(page), ...cacheFields(era, listHint(catalog, snapshot, context)) };
    },

    async getSkill({ uri }, { era, context }) {
      const record = await findSkill(catalog, uri, context);
      return { skill: record.entry, ...cacheFields(era, skillHint(catalog, record, context)) };
    },

    async readDirectory(params, { era, context }) {
      const snapshot = await catalog.snapshot(context.signal);
      const page = directoryPage(snapshot, params, bounds);
      return { resources: page.rows, ...nextCursor(page), ...cacheFields(era, listHint(catalog, snapshot, context)) };
    },

    async listResources(params, { era, context }) {
      const after = afterSkill(params);
      const snapshot = await catalog.snapshot(context.signal);
      const page = pageOf(snapshot.listed, recordUri, resourceRow, after, bounds(snapshot.listed.length));
      return { resources: page.rows, ...nextCursor(page), ...cacheFields(era, listHint(catalog, snapshot, context)) };
    },

    async readResource({ uri }, { era, context }) {
      const content = await readFile(catalog, uri, context);
      const hint = skillHint(catalog, content.file.skill, context);
      return { contents: [resourceContents(uri, content)], ...cacheFields(era, hint) };
    },

    async listResourceTemplates({ cursor }, { era, context }) {
      if (cursor !== undefined) throw foreignCursor();
      const own = await catalog.templates(context);
      // Those of live runtimes come and go without a word: no notification is about templates.
      const hint: CacheHint =
        own === undefined ? catalogHint(catalog, context.principal !== undefined) : { ttlMs: 0, cacheScope: 'private' };
      const rows = (own ?? []).map((template) => ({ ...template, title: template.name }));
      return { resourceTemplates: [templateRow, ...rows], ...cacheFields(era, hint) };
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
