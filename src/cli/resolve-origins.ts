/**
 * From the arguments of `serve` and `validate` and the configuration to the folders that are read. Paths inside the working
 * folder are relative to it, so that everything which is said about them later is short; others are absolute.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { SkillwireError } from '../errors.ts';
import type { ConfiguredOrigin } from '../gateway/configuration.ts';
import { parseOrigin } from '../gateway/origin.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import type { Cli } from './cli.ts';
import { type FoundConfiguration, findConfiguration } from './find-configuration.ts';
import { shownPath } from './render/shown-path.ts';

/** The options by which a command finds its origins. */
export interface OriginOptions {
  readonly config?: string;
  /** False for `--no-nested`. */
  readonly nested: boolean;
}

export interface ResolveOriginsOptions {
  readonly cwd: string;
  readonly home: string;
  readonly found: FoundConfiguration | undefined;
  readonly nested: boolean;
  /** Named in what to do where there is nothing. */
  readonly command: 'serve' | 'validate';
}

export interface ResolvedOrigin {
  readonly root: DirectoryRoot;
  /** Means the same origin on the command line of any folder, with the same configuration. */
  readonly argument: string;
  /** Its folder is named by the configuration. */
  readonly configured: boolean;
}

export interface FoundOrigins {
  readonly origins: readonly ResolvedOrigin[];
  readonly roots: readonly DirectoryRoot[];
  readonly found: FoundConfiguration | undefined;
  /** The error as it is told: see `namingOrigin()`. */
  explain(error: unknown): unknown;
}

/** Finds the configuration in force and, with it, the origins that the arguments mean. */
export async function findOrigins(
  given: readonly string[],
  { config, nested }: OriginOptions,
  { cwd, env }: Pick<Cli, 'cwd' | 'env'>,
  command: ResolveOriginsOptions['command'],
): Promise<FoundOrigins> {
  const home = homedir();
  const found = await findConfiguration({ cwd, env, home, platform: process.platform }, config);
  const origins = resolveOrigins(given, { cwd, home, found, nested, command });
  return {
    origins,
    roots: origins.map(({ root }) => root),
    found,
    explain: (error) => (found === undefined ? error : namingOrigin(error, origins, { cwd, file: found.file })),
  };
}

/** The origins in the order of the arguments; all configured ones where there is no argument. */
export function resolveOrigins(given: readonly string[], options: ResolveOriginsOptions): ResolvedOrigin[] {
  const { cwd, found } = options;
  const configured = found?.configuration.origins ?? [];
  const origins =
    given.length === 0
      ? configured.map((origin) => configuredOrigin(origin, options))
      : given.map((argument): ResolvedOrigin => {
          const spec = parseOrigin(argument, {
            exists: (path) => existsSync(resolve(cwd, path)),
            labels: configured.map(({ label }) => label),
          });
          if ('folder' in spec) return namedOrigin(spec.folder, spec.label, options);
          const named = configured.find(({ label }) => label === spec.configured);
          if (named === undefined) throw new TypeError(`no configured origin "${spec.configured}"`);
          return configuredOrigin(named, options);
        });
  if (origins.length === 0) throw nothingThere(options);
  return options.nested ? origins : origins.map((origin) => ({ ...origin, root: { ...origin.root, nested: false } }));
}

function namedOrigin(folder: string, label: string | undefined, options: ResolveOriginsOptions): ResolvedOrigin {
  const absolute = folderPath(folder, options.cwd, options.home);
  const path = shownPath(options.cwd, absolute);
  return label === undefined
    ? { root: { path }, argument: absolute, configured: false }
    : { root: { path, label }, argument: `${label}=${absolute}`, configured: false };
}

function configuredOrigin(origin: ConfiguredOrigin, { cwd, home, found }: ResolveOriginsOptions): ResolvedOrigin {
  const { label, folder, nested } = origin;
  const base = found === undefined ? cwd : dirname(found.file);
  const path = shownPath(cwd, folderPath(folder, base, home));
  return { root: { path, label, ...(nested === undefined ? {} : { nested }) }, argument: label, configured: true };
}

/** Absolute. `~` is expanded here since no shell expands it after `LABEL=` or in a file. */
export function folderPath(folder: string, base: string, home: string): string {
  return /^~(?:[\\/]|$)/.test(folder) ? join(home, folder.slice(1)) : resolve(base, folder);
}

/** An error about a folder that only the configuration names says which origin of which configuration it is. */
export function namingOrigin(
  error: unknown,
  origins: readonly ResolvedOrigin[],
  { cwd, file }: { readonly cwd: string; readonly file: string },
): unknown {
  if (!(error instanceof SkillwireError) || !error.code.startsWith('ORIGIN_')) return error;
  const origin = origins.find(({ root }) => root.path === error.data.path);
  if (origin === undefined || !origin.configured) return error;
  const { label } = origin.root;
  return new SkillwireError(error.code, `origin "${label}" of ${shownPath(cwd, file)}: ${error.message}`, {
    data: { ...error.data, label, file },
    cause: error,
  });
}

function nothingThere({ found, cwd, command }: ResolveOriginsOptions): SkillwireError {
  if (found === undefined) {
    const message = `nothing to ${command}: no folder is given and there is no skillwire.json; run "skillwire ${command} ./skills"`;
    return new SkillwireError('USAGE', message);
  }
  const file = shownPath(cwd, found.file);
  return new SkillwireError(
    'USAGE',
    `nothing to ${command}: no folder is given and "${file}" has no origins; add {"origins": {"docs": "./skills"}}`,
    { data: { file: found.file } },
  );
}
