/**
 * The catalog behind `addSkills`, and what its caller holds of it. A server that is made anew for every request adds the same
 * folders each time, so all servers that name the same folders share one catalog, and it is read once. Skills that are added in code
 * lie over it, for the one server that they were added to.
 *
 * Nothing here keeps the process alive.
 */
import { resolve } from 'node:path';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { defaultListing, type ListingMode } from '../../catalog/offered-skills.ts';
import { overlaidCatalog } from '../../catalog/overlaid-catalog.ts';
import { SkillwireError } from '../../errors.ts';
import { finding } from '../../skill/finding.ts';
import { requireFolder } from '../../sources/directory/directory-root.ts';
import { directorySource } from '../../sources/directory/directory-source.ts';
import type { GenerateFile } from '../../sources/generated-text.ts';
import { type MemoryFiles, type MemoryFrontmatter, type MemorySource, memorySource } from '../../sources/memory.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import type { AttachedDialectOptions } from '../../surfaces/mcp/aliases/served-dialects.ts';

/** Folders, a source, or a catalog that exists already. */
export type SkillsInput = string | readonly string[] | SkillSource | Catalog;

/** Options of `addSkills()`. */
export interface AddSkillsOptions extends AttachedDialectOptions {
  /** Follow changes in the folders. Default true. */
  readonly watch?: boolean;
  /** Which skills `skills/list` shows, as `createCatalog()` takes it. Default `'compatible'`. A catalog that is handed in has its own. */
  readonly listing?: ListingMode;
  /** Gets errors that are not the client's fault. */
  readonly onerror?: (error: Error) => void;
}

/** The skills of one server: adds skills in code, and closes. */
export interface SkillsHandle {
  readonly catalog: Catalog;
  /**
   * Adds a skill in code to this server alone, or replaces the one with this path. A function is called for each read and sees who
   * asks.
   *
   * @example
   * ```ts
   * skills.add('reports/daily', { description: 'Figures of today' }, (context) => `# Today\n\n${figures(context)}`);
   * ```
   */
  add(path: string, frontmatter: MemoryFrontmatter, body: string | GenerateFile, files?: MemoryFiles): void;
  /** Releases the catalog; it closes when nobody uses it any more. A catalog that was given stays open. */
  close(): Promise<void>;
}

/** A catalog for all servers that name the same folders or the same source. */
interface SharedCatalog {
  readonly catalog: Catalog;
  holders: number;
  forget(): void;
}

/** The skills of one server: those that it shares, and those that its owner adds in code. */
interface ServerSkills {
  readonly shared: SharedCatalog;
  readonly added: MemorySource;
  readonly catalog: Catalog;
  holders: number;
  close(): Promise<void>;
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
    throw new SkillwireError('USAGE', 'cannot add skills: no folder was named; name at least one');
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
  return new SkillwireError(
    'USAGE',
    'cannot add skills: they are neither folders nor a source nor a catalog; give a path such as "./skills"',
  );
}

function skillsOver(shared: SharedCatalog): ServerSkills {
  const added = memorySource();
  const own = createCatalog(added);
  const catalog = overlaidCatalog(shared.catalog, own, (uri) =>
    finding('skill-uri-taken', `"${uri}" of the folder or source is not served: code added a skill with its path`, {
      skill: uri,
    }),
  );
  shared.holders++;
  return {
    shared,
    added,
    catalog,
    holders: 0,
    async close() {
      await catalog.close();
      await own.close();
      shared.holders--;
      if (shared.holders > 0) return;
      shared.forget();
      await shared.catalog.close();
    },
  };
}

/**
 * Attaches skills to a server. Naming the same skills again for one server is the same as once.
 *
 * @throws SkillwireError at once if the skills cannot be read or the server cannot have them
 */
export function openSkills(
  server: object,
  input: SkillsInput,
  options: AddSkillsOptions,
  attach: (catalog: Catalog) => void,
): SkillsHandle {
  if (typeof input !== 'string' && (typeof input !== 'object' || input === null)) throw unusableInput();
  if (typeof input === 'object' && isCatalog(input)) {
    if (options.listing !== undefined)
      throw new SkillwireError(
        'USAGE',
        'cannot add skills: "listing" is a setting of the catalog; give it to createCatalog() instead',
      );
    attach(input);
    return givenCatalog(input);
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

function givenCatalog(catalog: Catalog): SkillsHandle {
  return {
    catalog,
    add(path) {
      throw new SkillwireError(
        'USAGE',
        `cannot add the skill "${path}": the catalog was made elsewhere; add it to one of its sources`,
      );
    },
    close: async () => {},
  };
}

type SdkVersion = 1 | 2;

const entries: Readonly<Record<SdkVersion, string>> = { 1: 'skillwire/mcp-v1', 2: 'skillwire/node' };

/** @throws SkillwireError USAGE if the server is not an `McpServer` of this version */
export function requireServer(server: unknown, wanted: SdkVersion): void {
  if (has(server, 'setRequestHandler'))
    throw usage('This is the low-level Server of the SDK: give addSkills the McpServer');
  const inner = typeof server === 'object' && server !== null && 'server' in server ? server.server : undefined;
  if (!has(server, 'registerResource') || !has(inner, 'setRequestHandler'))
    throw usage('This is not an MCP server: give addSkills an McpServer of the SDK');
  const version: SdkVersion = has(inner, 'getNegotiatedProtocolVersion') ? 2 : 1;
  if (version !== wanted)
    throw usage(`This is an SDK ${version}.x server: import addSkills from '${entries[version]}'`);
}

function has(value: unknown, method: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
}

function usage(message: string): SkillwireError {
  return new SkillwireError('USAGE', message);
}
