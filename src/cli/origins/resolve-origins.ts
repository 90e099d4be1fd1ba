/**
 * Turns the configuration and the arguments of `serve`, `build`, `validate` and `sign` into folders. For the first two also into mirrors:
 * archives, sites and MCP servers. Paths inside the working folder stay relative, so messages are short; others are absolute.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { SkillwireError } from '../../errors.ts';
import {
  type ConfiguredBase,
  type ConfiguredFolder,
  configuredFolder,
  configuredOrigins,
  isPlainFolder,
} from '../../gateway/configured-origins.ts';
import type { JudgedConfiguration } from '../../node/find-configuration.ts';
import { findConfiguration, readAgain } from '../../node/find-configuration.ts';
import { shownPath } from '../../node/shown-path.ts';
import { isArchivePath } from '../../origins/kinds/folder.ts';
import { locationText } from '../../origins/kinds.ts';
import { knownLabels } from '../../origins/known-labels.ts';
import { type NamedOrigin, usersWord } from '../../origins/named-origin.ts';
import { parseOrigin, parseServedOrigin } from '../../origins/parse-origin.ts';
import { resolveReadingOrigins } from '../../origins/resolve-reading.ts';
import { type Cli, noteTo, usageError } from '../cli.ts';
import { withPublished } from '../options/publish-options.ts';
import type { FoundOrigins, OriginOptions, ResolvedOrigin, ResolveOriginsOptions } from './trusted-origins.ts';

/**
 * Finds the configuration, and with it the origins that the arguments name.
 *
 * @throws SkillwireError NOT_TRUSTED if an untrusted file would act
 */
export async function findOrigins(
  args: readonly string[],
  options: OriginOptions,
  cli: Cli,
  command: ResolveOriginsOptions['command'],
): Promise<FoundOrigins> {
  const { cwd, env } = cli;
  const here = { cwd, env, home: homedir(), platform: process.platform };
  const read = await (options.again === undefined
    ? findConfiguration(here, options.config, options.projectConfig)
    : readAgain(options.again, here));
  const { judgedHere, trustedOrigins } = await import('./trusted-origins.ts');
  const labels = read?.configuration.origins.map(({ label }) => label) ?? [];
  // Whether a label is trusted matters if a folder has the same name.
  const isAmbiguous = args.some((argument) => labels.includes(argument) && existsSync(resolve(cwd, argument)));
  const found = await judgedHere(read, options, cli, isAmbiguous);
  return trustedOrigins(await resolveAll(args, options, { ...here, found }, command, cli), options, cli, command);
}

async function resolveAll(
  args: readonly string[],
  options: OriginOptions,
  { cwd, home, found }: Pick<ResolveOriginsOptions, 'cwd' | 'home' | 'found'>,
  command: ResolveOriginsOptions['command'],
  cli: Cli,
): Promise<FoundOrigins> {
  const { nested, publish } = options;
  const understood = noteTo(cli, options);
  // Validating a project covers all of it, and marks what a server would leave out.
  const agentFolders = options.agentFolders ?? (command === 'validate' ? ('read' as const) : undefined);
  const place = { cwd, home, found, added: [], understood };
  const resolving = { cwd, home, found, nested, publish, agentFolders, command, understood };
  if (args.length === 0 && found !== undefined) return everyConfigured(found, resolving);
  const remote = args.filter((argument) => isMirror(argument, options, resolving));
  const folders = args.filter((argument) => !remote.includes(argument));
  const only = remote.length > 0 && folders.length === 0;
  const origins = only ? [] : resolveOrigins(folders, resolving);
  const mirrors = remote.length === 0 ? [] : await resolveReadingOrigins(remote, options, place);
  const local = origins.map(({ argument }) => argument);
  return {
    origins,
    mirrors,
    arguments: args.map((argument) => mirrorArgument(mirrors[remote.indexOf(argument)]) ?? local.shift() ?? argument),
    mirrorsFirst: args[0] !== undefined && remote.includes(args[0]),
    fromFile: false,
    roots: origins.map(({ root }) => root),
    found,
    explain: (error) => (found === undefined ? error : namingOrigin(error, origins, { cwd, file: found.file })),
  };
}

/** Commands that read plain folders only. */
function readsFolders(command: ResolveOriginsOptions['command']): command is 'validate' | 'sign' {
  return command === 'validate' || command === 'sign';
}

/** All origins of the configuration; for `validate` only its plain folders. */
function everyConfigured(found: JudgedConfiguration, options: ResolveOriginsOptions): FoundOrigins {
  const all = configuredOrigins(found.configuration.origins, configuredPlace(options));
  const mirrors = readsFolders(options.command) ? [] : all.mirrors;
  if (all.folders.length + mirrors.length === 0) throw nothingThere(options);
  const origins = withOptions(all.folders.map(namedByLabel), options);
  return {
    origins,
    mirrors,
    arguments: [],
    mirrorsFirst: false,
    fromFile: true,
    roots: origins.map(({ root }) => root),
    found,
    explain: (error) => namingOrigin(error, origins, { cwd: options.cwd, file: found.file }),
  };
}

function configuredPlace({ cwd, home, found }: MirrorBase): ConfiguredBase {
  return { cwd, home, found, shown: (path) => shownPath(cwd, path) };
}

function namedByLabel({ root, trust }: ConfiguredFolder): ResolvedOrigin {
  return { root, argument: root.label, configured: true, trust };
}

/** Whether an argument names something other than a plain folder. */
function isMirror(argument: string, { insecureHttp }: OriginOptions, options: ResolveOriginsOptions): boolean {
  const { cwd, home, found, command } = options;
  const known = found?.configuration.origins ?? [];
  const parsing = { ...knownLabels({ cwd, found }), insecureHttp: insecureHttp === true };
  const spec = readsFolders(command) ? parseOrigin(argument, parsing) : parseServedOrigin(argument, parsing);
  if (!('configured' in spec))
    return !readsFolders(command) && ('folder' in spec ? isArchivePath(folderPath(spec.folder, cwd, home)) : true);
  const origin = known.find(({ label }) => label === spec.configured);
  if (origin === undefined || isPlainFolder(origin, options)) return false;
  if (!readsFolders(command)) return true;
  throw new SkillwireError(
    'ORIGIN_UNSUPPORTED',
    command === 'sign'
      ? `"${argument}" cannot be signed: it is not a plain folder. Sign the folder that it is published from.`
      : `"${argument}" cannot be validated: it is not a plain folder. Use "skillwire verify ${argument}".`,
    { data: { origin: argument } },
  );
}

type MirrorBase = Pick<ResolveOriginsOptions, 'cwd' | 'home' | 'found'>;

function mirrorArgument(mirror: NamedOrigin | undefined): string | undefined {
  if (mirror === undefined) return undefined;
  const origin = locationText(mirror.location);
  return mirror.label === origin ? origin : `${mirror.label}=${origin}`;
}

/** The origins in the order of the arguments; all configured ones if there are no arguments. */
export function resolveOrigins(args: readonly string[], options: ResolveOriginsOptions): ResolvedOrigin[] {
  const { cwd, found, understood } = options;
  const configured = found?.configuration.origins ?? [];
  const origins =
    args.length === 0
      ? configured.map((origin) => namedByLabel(configuredFolder(origin, configuredPlace(options))))
      : args.map((argument): ResolvedOrigin => {
          const spec = parseOrigin(argument, { ...knownLabels({ cwd, found }), understood });
          if ('folder' in spec) return namedOrigin(spec.folder, spec.label, options);
          const named = configured.find(({ label }) => label === spec.configured);
          if (named === undefined) throw new TypeError(`no configured origin "${spec.configured}"`);
          return namedByLabel(configuredFolder(named, configuredPlace(options)));
        });
  if (origins.length === 0) throw nothingThere(options);
  return withOptions(origins, options);
}

/** Applies the options about folders. */
function withOptions(origins: ResolvedOrigin[], options: ResolveOriginsOptions): ResolvedOrigin[] {
  const { nested, publish = [], agentFolders, cwd } = options;
  const roots = withPublished(
    origins.map(({ root }) => ({
      ...root,
      ...(nested ? {} : { nested }),
      ...(agentFolders ? { agentFolders: root.agentFolders === true ? true : agentFolders } : {}),
    })),
    publish,
    cwd,
  );
  return origins.map((origin, index) => ({ ...origin, root: roots[index] ?? origin.root }));
}

function namedOrigin(folder: string, label: string | undefined, options: ResolveOriginsOptions): ResolvedOrigin {
  const absolute = folderPath(folder, options.cwd, options.home);
  const path = shownPath(options.cwd, absolute);
  return label === undefined
    ? { root: { path }, argument: absolute, configured: false, trust: usersWord }
    : { root: { path, label }, argument: `${label}=${absolute}`, configured: false, trust: usersWord };
}

/** Adds the origin and the configuration to an error about a folder that only the configuration names. */
export function namingOrigin(
  error: unknown,
  origins: readonly ResolvedOrigin[],
  { cwd, file }: { readonly cwd: string; readonly file: string },
): unknown {
  if (!(error instanceof SkillwireError) || !error.code.startsWith('ORIGIN_')) return error;
  const origin = origins.find(({ root }) => root.path === error.data.path);
  if (origin === undefined || !origin.configured) return error;
  const { label } = origin.root;
  return new SkillwireError(error.code, `Origin "${label}" of ${shownPath(cwd, file)}: ${error.message}`, {
    data: { ...error.data, label, file },
    cause: error,
  });
}

function nothingThere({ found, cwd, command }: ResolveOriginsOptions): SkillwireError {
  if (found === undefined) {
    const example = command === 'build' ? 'build ./skills --out ./site' : `${command} ./skills`;
    return usageError(`Nothing to ${command}: no folder and no skillwire.json. Run "skillwire ${example}".`);
  }
  const file = shownPath(cwd, found.file);
  return usageError(
    `Nothing to ${command}: no folder, and "${file}" has no origins. Add {"origins": {"docs": "./skills"}}.`,
    { file: found.file },
  );
}

/** Absolute. Expands `~`, which no shell expands after `LABEL=` or in a file. */
function folderPath(folder: string, base: string, home: string): string {
  return /^~(?:[\\/]|$)/.test(folder) ? join(home, folder.slice(1)) : resolve(base, folder);
}
