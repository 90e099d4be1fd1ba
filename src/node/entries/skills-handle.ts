/**
 * The catalog behind `addSkills`, and what its caller holds of it. A server that is made anew for every request adds the same
 * folders each time, so one catalog serves all that name the same folders, and it is read once. Skills added in code go into
 * that catalog too; adding one again replaces it.
 *
 * Nothing here keeps the process alive.
 */
import { resolve } from 'node:path';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { SkillwireError } from '../../errors.ts';
import { directorySource } from '../../sources/directory/directory-source.ts';
import {
  type GenerateFile,
  type MemoryFiles,
  type MemoryFrontmatter,
  type MemorySource,
  memorySource,
} from '../../sources/memory.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import type { AttachedDialectOptions } from '../../surfaces/mcp/aliases/served-dialects.ts';
import { combine } from '../../transforms/combine.ts';

/** Folders, a source, or a catalog that exists already. */
export type SkillsInput = string | readonly string[] | SkillSource | Catalog;

export interface AddSkillsOptions extends AttachedDialectOptions {
  /** Follow changes in the folders. Default true. */
  readonly watch?: boolean;
  /** Hears of errors that are not the client's fault. */
  readonly onerror?: (error: Error) => void;
}

export interface SkillsHandle {
  readonly catalog: Catalog;
  /**
   * Adds a skill in code, or replaces the one with this path. A function is called for each read and sees who asks.
   *
   * @example
   * ```ts
   * skills.add('reports/daily', { description: 'Figures of today' }, (context) => `# Today\n\n${figures(context)}`);
   * ```
   */
  add(path: string, frontmatter: MemoryFrontmatter, body: string | GenerateFile, files?: MemoryFiles): void;
  /** Gives the catalog up; it closes when nobody holds it any more. A catalog that was handed in stays open. */
  close(): Promise<void>;
}

interface Held {
  readonly catalog: Catalog;
  readonly memory: MemorySource | undefined;
  holders: number;
}

const byFolders = new Map<string, Held>();
const bySource = new WeakMap<SkillSource, Held>();

function isCatalog(input: SkillSource | Catalog): input is Catalog {
  return 'snapshot' in input;
}

function hold(source: SkillSource): Held {
  const memory = memorySource();
  return { catalog: createCatalog(combine([source, memory])), memory, holders: 0 };
}

function heldFolders(folders: readonly string[], watch: boolean): { held: Held; forget: () => void } {
  const paths = folders.map((folder) => resolve(folder));
  if (paths.length === 0)
    throw new SkillwireError('USAGE', 'cannot add skills: no folder was named; name at least one');
  const key = JSON.stringify([watch, ...paths]);
  let held = byFolders.get(key);
  if (held === undefined) {
    held = hold(directorySource(paths, { watch }));
    byFolders.set(key, held);
  }
  return { held, forget: () => byFolders.delete(key) };
}

function heldSource(source: SkillSource): { held: Held; forget: () => void } {
  let held = bySource.get(source);
  if (held === undefined) {
    held = hold(source);
    bySource.set(source, held);
  }
  return { held, forget: () => bySource.delete(source) };
}

function heldFor(input: SkillsInput, watch: boolean): { held: Held; forget: () => void } {
  if (typeof input === 'string') return heldFolders([input], watch);
  if (Array.isArray(input)) return heldFolders(input, watch);
  const given = input as SkillSource | Catalog;
  if (!isCatalog(given)) return heldSource(given);
  return { held: { catalog: given, memory: undefined, holders: 1 }, forget: () => {} };
}

/** A handle on the catalog of the input. The caller attaches it to its server. */
export function openSkills(input: SkillsInput, options: AddSkillsOptions): SkillsHandle {
  const { held, forget } = heldFor(input, options.watch !== false);
  held.holders++;
  let open = true;
  return {
    catalog: held.catalog,
    add(path, frontmatter, body, files) {
      if (held.memory === undefined)
        throw new SkillwireError(
          'USAGE',
          `cannot add the skill "${path}": the catalog was made elsewhere; add it to one of its sources`,
        );
      held.memory.add(path, frontmatter, body, files);
    },
    async close() {
      if (!open) return;
      open = false;
      held.holders--;
      if (held.holders > 0) return;
      forget();
      await held.catalog.close();
    },
  };
}
