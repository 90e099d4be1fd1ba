/**
 * The catalog behind `addSkills`. A factory that creates a server per request adds the same folders each time. So servers with the same
 * folders share one catalog, which is read once. Skills added in code apply to one server only.
 *
 * Nothing here keeps the process alive.
 */
import { resolve } from 'node:path';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { defaultListing, type ListingMode, listingMode } from '../../catalog/offered-skills.ts';
import { overlaidCatalog } from '../../catalog/overlaid-catalog.ts';
import { SkillwireError } from '../../errors.ts';
import { callback, checkOptions, either, flag, listOf, type OptionChecks, oneOf } from '../../skill/checked-options.ts';
import { finding } from '../../skill/finding.ts';
import { requireFolder } from '../../sources/directory/directory-root.ts';
import { directorySource } from '../../sources/directory/directory-source.ts';
import type { GenerateFile } from '../../sources/generated-text.ts';
import { type MemoryFiles, type MemoryFrontmatter, memorySource } from '../../sources/memory.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import {
  type AttachedDialectOptions,
  attachedDialects,
  dialectChecks,
} from '../../surfaces/mcp/aliases/served-dialects.ts';

/** Folders, a source, or an existing catalog. */
export type SkillsInput = string | readonly string[] | SkillSource | Catalog;

/** Options of `addSkills()`. */
export interface AddSkillsOptions extends AttachedDialectOptions {
  /** Follow changes in the folders. Default true. */
  readonly watch?: boolean;
  /** Which skills `skills/list` shows, as in `createCatalog()`. Default `'compatible'`. An existing catalog has its own setting. */
  readonly listing?: ListingMode;
  /** Gets errors that are not the client's fault. */
  readonly onerror?: (error: Error) => void;
}

const { resources, listAliases, listIndex, frontmatterMeta } = dialectChecks;
const addSkillsChecks: OptionChecks<AddSkillsOptions> = {
  resources,
  listAliases,
  listIndex,
  frontmatterMeta,
  dialects: either(oneOf('none'), listOf(oneOf(...attachedDialects), `a list of ${attachedDialects.join(', ')}`)),
  watch: flag,
  listing: listingMode,
  onerror: callback(),
};

/** The skills of one server: adds skills in code, and closes. */
export interface SkillsHandle {
  readonly catalog: Catalog;
  /**
   * Adds a skill in code to this server only, or replaces the one with this path. A function is called for each read and gets the context
   * of the caller.
   *
   * @example
   * ```ts
   * skills.add('reports/daily', { description: 'Figures of today' }, (context) => `# Today\n\n${figures(context)}`);
   * ```
   */
  add(path: string, frontmatter: MemoryFrontmatter, body: string | GenerateFile, files?: MemoryFiles): void;
  /** Releases the catalog, which closes when nobody uses it. A catalog that the caller passed stays open. */
  close(): Promise<void>;
}

/** A catalog for all servers with the same folders or source. */
interface SharedCatalog {
  readonly catalog: Catalog;
  holders: number;
  forget(): void;
}

const byFolders = new Map<string, SharedCatalog>();
const bySource = new WeakMap<SkillSource, Map<ListingMode, SharedCatalog>>();
const byServer = new WeakMap<object, ServerSkills>();

function isCatalog(input: object): input is Catalog {
  return 'snapshot' in input && 'read' in input;
}

function isSource(input: object): input is SkillSource {
  return 'list' in input && 'get' in input && 'open' in input;
}

interface Manner {
  readonly watch: boolean;
  readonly listing: ListingMode;
}

function sharedFolders(folders: readonly string[], { watch, listing }: Manner): SharedCatalog {
  if (folders.length === 0)
    throw new SkillwireError('USAGE', 'Cannot add skills: the list of folders is empty. Name at least one.');
  const paths = folders.map((folder) => resolve(folder));
  for (const path of paths) requireFolder(path);
  const key = JSON.stringify([watch, listing, ...paths]);
  const known = byFolders.get(key);
  if (known !== undefined) return known;
  const catalog = createCatalog(directorySource(paths, { watch }), { listing });
  const shared = { catalog, holders: 0, forget: () => byFolders.delete(key) };
  byFolders.set(key, shared);
  return shared;
}

function sharedSource(source: SkillSource, { listing }: Manner): SharedCatalog {
  const catalogs = bySource.get(source) ?? new Map<ListingMode, SharedCatalog>();
  bySource.set(source, catalogs);
  const known = catalogs.get(listing);
  if (known !== undefined) return known;
  const shared = { catalog: createCatalog(source, { listing }), holders: 0, forget: () => catalogs.delete(listing) };
  catalogs.set(listing, shared);
  return shared;
}

/** @throws SkillwireError ORIGIN_NOT_FOUND, ORIGIN_NOT_A_FOLDER, ORIGIN_UNREADABLE, USAGE */
function sharedFor(input: Exclude<SkillsInput, Catalog>, manner: Manner): SharedCatalog {
  if (typeof input === 'string') return sharedFolders([input], manner);
  if (isFolders(input)) return sharedFolders(input, manner);
  if (isSource(input)) return sharedSource(input, manner);
  throw unusableInput();
}

function isFolders(input: unknown): input is readonly string[] {
  return Array.isArray(input) && input.every((folder) => typeof folder === 'string');
}

function unusableInput(): SkillwireError {
  return new SkillwireError('USAGE', 'Cannot add skills: pass folders such as "./skills", a source or a catalog.');
}

function skillsOver(shared: SharedCatalog) {
  const added = memorySource();
  const own = createCatalog(added);
  const catalog = overlaidCatalog(shared.catalog, own, (uri) =>
    finding(
      'skill-uri-taken',
      `"${uri}" of the folder or source is not served: code added a skill with the same path`,
      {
        skill: uri,
      },
    ),
  );
  shared.holders++;
  return {
    shared,
    added,
    catalog,
    holders: 0,
    async close(): Promise<void> {
      await catalog.close();
      await own.close();
      shared.holders--;
      if (shared.holders > 0) return;
      shared.forget();
      await shared.catalog.close();
    },
  };
}

/** The skills of one server: shared ones, and those added in code. */
type ServerSkills = ReturnType<typeof skillsOver>;

/**
 * Attaches skills to a server. A second call with the same skills does nothing.
 *
 * @throws SkillwireError at once if the skills cannot be read or the server cannot take them
 */
export function openSkills(
  server: object,
  input: SkillsInput,
  options: AddSkillsOptions,
  attach: (catalog: Catalog) => void,
): SkillsHandle {
  checkOptions('addSkills()', options, addSkillsChecks);
  if (typeof input !== 'string' && (typeof input !== 'object' || input === null)) throw unusableInput();
  if (typeof input === 'object' && isCatalog(input)) {
    if (options.listing !== undefined)
      throw new SkillwireError(
        'USAGE',
        'Cannot add skills: "listing" is an option of the catalog. Pass it to createCatalog().',
      );
    attach(input);
    return existingCatalog(input);
  }
  const manner = { watch: options.watch !== false, listing: options.listing ?? defaultListing };
  const shared = sharedFor(input, manner);
  const known = byServer.get(server);
  const skills = known?.shared === shared ? known : skillsOver(shared);
  skills.holders++;
  let open = true;
  const handle: SkillsHandle = {
    catalog: skills.catalog,
    add: (path, frontmatter, body, files) => skills.added.add(path, frontmatter, body, files),
    async close() {
      if (!open) return;
      open = false;
      skills.holders--;
      if (skills.holders > 0) return;
      if (byServer.get(server) === skills) byServer.delete(server);
      await skills.close();
    },
  };
  try {
    attach(skills.catalog);
  } catch (error) {
    void handle.close();
    throw error;
  }
  byServer.set(server, skills);
  return handle;
}

function existingCatalog(catalog: Catalog): SkillsHandle {
  return {
    catalog,
    add(path) {
      throw new SkillwireError(
        'USAGE',
        `Cannot add the skill "${path}" to an existing catalog. Add it to one of its sources.`,
      );
    },
    close: async () => {},
  };
}

type SdkVersion = 1 | 2;

const entries: Readonly<Record<SdkVersion, string>> = { 1: 'skillwire/mcp-v1', 2: 'skillwire/node' };

/**
 * Checks which major version of the MCP SDK created a server. Both versions use the same class names, and a program may load several copies,
 * so this checks members instead of `instanceof`.
 *
 * @throws SkillwireError USAGE if the server is not an `McpServer` of this version
 */
export function requireServer(server: unknown, wanted: SdkVersion): void {
  if (has(server, 'setRequestHandler'))
    throw usage('This is the low-level Server of the SDK. Pass the McpServer to addSkills.');
  const inner = typeof server === 'object' && server !== null && 'server' in server ? server.server : undefined;
  if (!has(server, 'registerResource') || !has(inner, 'setRequestHandler'))
    throw usage('This is not an MCP server. Pass an McpServer of the SDK to addSkills.');
  const version: SdkVersion = has(inner, 'getNegotiatedProtocolVersion') ? 2 : 1;
  if (version !== wanted)
    throw usage(`This is an SDK ${version}.x server. Import addSkills from '${entries[version]}'.`);
}

function has(value: unknown, method: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
}

function usage(message: string): SkillwireError {
  return new SkillwireError('USAGE', message);
}
