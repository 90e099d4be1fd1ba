/**
 * The answers of the Skills extension (SEP-2640) and of its resource methods, from a catalog. Independent of transports and SDKs: parameters
 * and results are plain records, errors are `SkillwireError`s with a JSON-RPC code in the error table. Every answer comes from one snapshot.
 *
 * `skills/list` and `resources/list` show listed skills only; `skills/get` and `resources/read` answer for every served skill. Lookups use the
 * snapshot, so an unpublished URI does not exist in any spelling.
 */
import { loadOnce } from '../../async/load-once.ts';
import { andThen, type MaybePromise, orElse } from '../../async/maybe-promise.ts';
import type { Catalog, CatalogChange, FileContent } from '../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import type { NamedSkillAnswer } from '../../dialects/sep-2076/sep-2076.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type SkillEntry, skillFileName } from '../../skill/entry.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { SourceContext } from '../../sources/skill-source.ts';
import type { Aliases } from './aliases/aliases.ts';
import type { AliasAnswer } from './aliases/read-alias.ts';
import { type DialectOptions, type DialectSettings, dialectSettings } from './aliases/served-dialects.ts';
import type { ListedTemplate } from './aliases/template-listing.ts';
import { type CacheHint, cacheFields, catalogHint, listHint, type MethodCall, skillHint } from './cache-fields.ts';
import {
  afterResource,
  afterSkill,
  directoryPage,
  findSkill,
  foreignCursor,
  isMissingFile,
  noFile,
  type ResourceRow,
  readFile,
} from './catalog-lookups.ts';
import { completePath, type PathCompletion } from './complete-path.ts';
import { encodingTurn, type ResourceContents, resourceContents } from './file-contents.ts';
import type { ReportError } from './method-errors.ts';
import type { CompletionParams, GetParams, PageParams, UriParams } from './method-params.ts';
import { encodeCursor, type Page, type PageBounds, pageBounds, pageOf, type Row } from './pages.ts';
import { declaresSkills, listedFor } from './skills-capability.ts';

export const skillTemplate = 'skill://{+path}';

interface Paged {
  readonly nextCursor?: string;
}

type Cacheable = Partial<CacheHint>;

export type ListSkillsAnswer = { readonly skills: readonly SkillEntry[] } & Paged & Cacheable;
export type GetSkillAnswer = { readonly skill: SkillEntry } & Cacheable;
export type ListResourcesAnswer = { readonly resources: readonly ResourceRow[] } & Paged & Cacheable;
export type ReadResourceAnswer = { readonly contents: readonly ResourceContents[] } & Cacheable;
/** By name, as SEP-2076 has it. */
export type GetAnswer = GetSkillAnswer | NamedSkillAnswer;
export type ListTemplatesAnswer = { readonly resourceTemplates: readonly ListedTemplate[] } & Cacheable;

export interface SkillMethods {
  listSkills(params: PageParams, call: MethodCall): Promise<ListSkillsAnswer>;
  /** True if `skills/list` has names for this client: SEP-2076 is served and the client does not declare the extension. */
  listsNames(context: SourceContext): boolean;
  getSkill(params: UriParams, call: MethodCall): MaybePromise<GetSkillAnswer>;
  /** By URI, or by name if SEP-2076 is served. */
  getSkillOrNamed(params: GetParams, call: MethodCall): Promise<GetAnswer>;
  readDirectory(params: UriParams & PageParams, call: MethodCall): MaybePromise<ListResourcesAnswer>;
  listResources(params: PageParams, call: MethodCall): Promise<ListResourcesAnswer>;
  readResource(params: UriParams, call: MethodCall): MaybePromise<ReadResourceAnswer>;
  /** The content for `readResource`: a file, or the content at a dialect address. */
  openResource(uri: string, context: SourceContext): MaybePromise<FileContent | AliasAnswer>;
  /** Like `readResource`, for files of skills only. */
  readFile(params: UriParams, call: MethodCall): MaybePromise<ReadResourceAnswer>;
  listResourceTemplates(params: PageParams, call: MethodCall): Promise<ListTemplatesAnswer>;
  /** Completes a variable of any skill template. */
  complete(params: CompletionParams, call: MethodCall): Promise<{ readonly completion: PathCompletion }>;
  /** The canonical URI of a served file or dialect address, for subscriptions. */
  resolveFile(uri: string, call: MethodCall): Promise<string>;
  /** The dialect addresses that a change affects. */
  changedAliases(change: CatalogChange): Promise<readonly string[]>;
  readonly settings: DialectSettings;
}

export interface SkillMethodsOptions extends DialectOptions {
  /** Maximum page size. Default: see `limits.ts`. */
  readonly pages?: PageBounds;
  /** Gets errors that are not the client's fault. Clients do not see their content. */
  readonly onerror?: ReportError;
}

export const templateRow: ListedTemplate = {
  uriTemplate: skillTemplate,
  name: 'skill-file',
  title: 'File of a skill',
  description: `A file of an Agent Skill. "${skillTemplate.replace('{+path}', '<skill>/')}${skillFileName}" is its entry point.`,
};

const recordUri = (record: SkillRecord): string => record.entry.uri;
const rowUri = (row: Row): string => row.uri;

export function createSkillMethods(catalog: Catalog, options: SkillMethodsOptions = {}): SkillMethods {
  const bounds = pageBounds(options.pages);
  const settings = dialectSettings(options);
  /** Loaded on first use: clients with the extension never need dialect addresses. */
  const { get: aliases } = loadOnce(async (): Promise<Aliases> => {
    const { createAliases } = await import('./aliases/aliases.ts');
    return createAliases(catalog, settings, options.onerror);
  });

  function getSkill({ uri }: UriParams, { era, context }: MethodCall): MaybePromise<GetSkillAnswer> {
    return andThen(findSkill(catalog, uri, context), (record) => ({
      skill: record.entry,
      ...cacheFields(era, skillHint(catalog, record, context)),
    }));
  }

  /** The fields after the rows of a page. */
  function pageEnd({ last }: Page<Row>, snapshot: Snapshot, { era, context }: MethodCall): Paged & Cacheable {
    const next = last === undefined ? {} : { nextCursor: encodeCursor(last) };
    return { ...next, ...cacheFields(era, listHint(catalog, snapshot, context)) };
  }

  const listsNames = ({ clientCapabilities }: SourceContext): boolean =>
    settings.served.has('sep-2076') && !declaresSkills(clientCapabilities);

  function openResource(uri: string, context: SourceContext): MaybePromise<FileContent | AliasAnswer> {
    return orElse<FileContent | AliasAnswer>(
      () => readFile(catalog, uri, context),
      async (error) => {
        const mayBeAlias = isMissingFile(error) && settings.served.size > 0;
        const found = mayBeAlias ? await (await aliases()).read(uri, context) : undefined;
        if (found === undefined) throw error;
        return found;
      },
    );
  }

  function contentsOf(
    { uri }: UriParams,
    { era, context }: MethodCall,
    opened: FileContent | AliasAnswer,
  ): MaybePromise<ReadResourceAnswer> {
    if ('contents' in opened) return { contents: opened.contents, ...cacheFields(era, opened.hint) };
    const hint = skillHint(catalog, opened.file.skill, context);
    const answer = (): ReadResourceAnswer => ({
      contents: [resourceContents(uri, opened)],
      ...cacheFields(era, hint),
    });
    return opened.bytes.length > limits.reads.wholeBytes ? encodingTurn().then(answer) : answer();
  }

  return {
    settings,

    async listSkills(params, call) {
      const { context } = call;
      const after = afterSkill(params);
      const snapshot = await catalog.snapshot(context);
      const named = listsNames(context) ? (await import('./named-skills.ts')).namedEntries(snapshot) : undefined;
      const rowOf = ({ entry }: SkillRecord): SkillEntry => named?.get(entry) ?? entry;
      const listed = listedFor(snapshot, context.clientCapabilities);
      const page = pageOf(listed, recordUri, rowOf, after, bounds(listed.length));
      return { skills: page.rows, ...pageEnd(page, snapshot, call) };
    },

    listsNames,

    getSkill,

    async getSkillOrNamed(params, call) {
      const { getByName } = await import('./named-skills.ts');
      const found = await getByName(catalog, params, call.context);
      return 'uri' in found ? getSkill(found, call) : found;
    },

    readDirectory(params, call) {
      return andThen(catalog.snapshot(call.context), (snapshot) => {
        const page = directoryPage(snapshot, params, bounds);
        return { resources: page.rows, ...pageEnd(page, snapshot, call) };
      });
    },

    async listResources(params, call) {
      const { rows, mayList } = await aliases();
      const after = afterResource(params, mayList);
      const snapshot = await catalog.snapshot(call.context);
      const listed = rows(snapshot, params);
      const page = pageOf(listed, rowUri, (row) => row, after, bounds(listed.length));
      return { resources: page.rows, ...pageEnd(page, snapshot, call) };
    },

    readFile: (params, call) =>
      andThen(readFile(catalog, params.uri, call.context), (content) => contentsOf(params, call, content)),

    readResource: (params, call) =>
      andThen(openResource(params.uri, call.context), (opened) => contentsOf(params, call, opened)),

    openResource,

    async listResourceTemplates({ cursor }, { era, context }) {
      if (cursor !== undefined) throw foreignCursor();
      const own = await catalog.templates(context);
      // Templates of live runtimes come and go, and no notification covers templates.
      const hint: CacheHint =
        own === undefined ? catalogHint(catalog, context.principal !== undefined) : { ttlMs: 0, cacheScope: 'private' };
      const rows = (own ?? []).map((template) => ({ ...template, title: template.name }));
      const more = (await aliases()).templates(await catalog.snapshot(context));
      return { resourceTemplates: [templateRow, ...rows, ...more], ...cacheFields(era, hint) };
    },

    async resolveFile(uri, { context }) {
      const snapshot = await catalog.snapshot(context);
      const file = snapshot.file(uri);
      if (file !== undefined) return file.uri;
      const skill = tryParseSkillUri(uri) === undefined ? undefined : await catalog.find(uri, context);
      if (skill !== undefined) return skill.entry.uri;
      const alias = settings.served.size === 0 ? undefined : (await aliases()).resolve(uri, snapshot);
      if (alias === undefined) throw noFile(uri, snapshot);
      return alias;
    },

    async complete({ ref, argument, context: chosen }, { context }) {
      const snapshot = await catalog.snapshot(context);
      if (ref.type === 'ref/resource' && ref.uri === skillTemplate && argument.name === 'path')
        return { completion: completePath(snapshot, argument.value) };
      const served = settings.served.has('resource-templates');
      const found =
        ref.type === 'ref/resource' && ref.uri !== undefined && (served || ref.uri === skillTemplate)
          ? (await aliases()).complete(snapshot, ref.uri, argument, chosen?.arguments ?? {})
          : undefined;
      if (found === undefined)
        throw new SkillwireError(
          'USAGE',
          `Cannot complete ${quoteText(ref.uri ?? ref.name ?? ref.type)}: only skill templates such as "${skillTemplate}" have completions.`,
        );
      const { values, hasMore, total = values.length } = found;
      return { completion: { values: [...values], total, hasMore } };
    },

    async changedAliases(change) {
      return settings.served.size === 0 ? [] : (await aliases()).changed(change);
    },
  };
}
