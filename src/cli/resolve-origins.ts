/** From the arguments of `serve` and the configuration to the folders that are served. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SkillwireError } from '../errors.ts';
import type { ConfiguredOrigin } from '../gateway/configuration.ts';
import { parseOrigin } from '../gateway/origin.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import type { FoundConfiguration } from './find-configuration.ts';

export interface ResolveOriginsOptions {
  readonly cwd: string;
  readonly home: string;
  readonly found: FoundConfiguration | undefined;
  /** False for `--no-nested`. */
  readonly nested: boolean;
}

/** The roots in the order of the arguments; all configured ones where there is no argument. */
export function resolveOrigins(origins: readonly string[], options: ResolveOriginsOptions): DirectoryRoot[] {
  const { cwd, home, found } = options;
  const configured = found?.configuration.origins ?? [];
  const roots =
    origins.length === 0
      ? configured.map((origin) => configuredRoot(origin, options))
      : origins.map((argument): DirectoryRoot => {
          const spec = parseOrigin(argument, {
            exists: (path) => existsSync(resolve(cwd, path)),
            labels: configured.map(({ label }) => label),
          });
          if ('folder' in spec) {
            const path = folderPath(spec.folder, cwd, home);
            return spec.label === undefined ? { path } : { path, label: spec.label };
          }
          const named = configured.find(({ label }) => label === spec.configured);
          if (named === undefined) throw new TypeError(`no configured origin "${spec.configured}"`);
          return configuredRoot(named, options);
        });
  if (roots.length === 0) throw nothingToServe(found);
  return options.nested ? roots : roots.map((root) => ({ ...root, nested: false }));
}

function configuredRoot({ label, folder, nested }: ConfiguredOrigin, options: ResolveOriginsOptions): DirectoryRoot {
  const base = options.found === undefined ? options.cwd : dirname(options.found.file);
  return { path: folderPath(folder, base, options.home), label, ...(nested === undefined ? {} : { nested }) };
}

/** Absolute. `~` is expanded here since no shell expands it after `LABEL=` or in a file. */
function folderPath(folder: string, base: string, home: string): string {
  return /^~(?:[\\/]|$)/.test(folder) ? join(home, folder.slice(1)) : resolve(base, folder);
}

function nothingToServe(found: FoundConfiguration | undefined): SkillwireError {
  return found === undefined
    ? new SkillwireError(
        'USAGE',
        'nothing to serve: no folder is given and there is no skillwire.json; run "skillwire serve ./skills"',
      )
    : new SkillwireError(
        'USAGE',
        `nothing to serve: no folder is given and "${found.file}" has no origins; add {"origins": {"docs": "./skills"}}`,
        { data: { file: found.file } },
      );
}
