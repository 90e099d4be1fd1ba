/**
 * Reads the ORIGIN arguments of the command line: `[LABEL=]ORIGIN`. Pure: whether a path exists is asked of the caller.
 *
 * The order decides, and nothing is guessed: an existing path, or a text that begins like one, is a folder; then a known
 * prefix; then a label. A text that is both an existing path and a label is refused. A path may be that of an archive, which
 * its name tells. What reads and serves takes MCP servers (`mcp:URL`, `stdio:COMMAND`), sites (`https://HOST`) and live
 * runtimes (`mdp:URL` of a hub, `mdp:stdio:COMMAND`), Git repositories (`git:REPOSITORY#REF`) and the folders of agents
 * (`agent:ID`) too; what checks files of an author takes folders only.
 */
import { SkillwireError } from '../errors.ts';
import type { OriginFolder } from './kinds/folder.ts';
import { everyKind } from './kinds.ts';
import type { FolderSpec, NamedSpec, OriginLabel, OriginSpec } from './origin-spec.ts';

export interface ParseOriginOptions {
  readonly exists: (path: string) => boolean;
  /** The labels that are known. */
  readonly labels: readonly string[];
}

export interface ReadOriginOptions extends ParseOriginOptions {
  /** Lets `http:` lead to other hosts than this machine. */
  readonly insecureHttp?: boolean;
}

export const labelLength = 64;
export const labelPattern: RegExp = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/;
export const labelRule: string = `a label is 1 to ${labelLength} of a-z and 0-9, with "-", "_" and "." inside`;

export function isLabel(text: string): boolean {
  return text.length <= labelLength && labelPattern.test(text);
}

/** Longest first: one may begin another. */
const prefixes = everyKind
  .flatMap(({ prefixed }) =>
    prefixed === undefined ? [] : prefixed.prefixes.map((prefix) => ({ prefix, ...prefixed })),
  )
  .sort((a, b) => b.prefix.length - a.prefix.length);

type Prefixed = (typeof prefixes)[number];

/** The kind whose prefix a text begins with. */
function prefixOf(text: string): Prefixed | undefined {
  const lower = text.toLowerCase();
  return prefixes.find(({ prefix }) => lower.startsWith(prefix));
}

/** True where a text begins like a path: `.`, `/`, `~`, a drive or a network share. */
function looksLikePath(text: string): boolean {
  return /^(?:[./~]|[A-Za-z]:(?:[\\/]|$)|\\\\)/.test(text);
}

/** An origin whose files are checked: a folder or a label. */
export function parseOrigin(argument: string, options: ParseOriginOptions): FolderSpec {
  return parseArgument(argument, options, refuseServer, { kind: 'FOLDER', label: configuredLabel });
}

/** An origin that is served: anything that can be read, or a label of the configuration. */
export function parseServedOrigin(argument: string, options: ReadOriginOptions): OriginSpec {
  return parseArgument(argument, options, serverReader(options), { kind: 'ORIGIN', label: configuredLabel });
}

/** An origin that is read: a folder, an archive, an MCP server, a site or a label. */
export function parseReadableOrigin(argument: string, options: ReadOriginOptions): OriginSpec {
  return parseArgument(argument, options, serverReader(options), {
    kind: 'ORIGIN',
    label: 'a label of the configuration or of "skillwire origins list"',
  });
}

const configuredLabel = 'a label of the configuration';

function serverReader({ insecureHttp = false }: Pick<ReadOriginOptions, 'insecureHttp'>): ServerReader<OriginSpec> {
  return (text, { prefix, parse }) => parse(text, prefix, insecureHttp) as NamedSpec;
}

/**
 * An origin in the configuration, where a text without a known prefix is a path.
 *
 * @throws SkillwireError USAGE or ORIGIN_UNSUPPORTED
 */
export function parseConfiguredOrigin(text: string, options: Pick<ReadOriginOptions, 'insecureHttp'>): NamedSpec {
  const prefixed = prefixOf(text);
  if (looksLikePath(text) || prefixed === undefined) return { folder: text };
  return serverReader(options)(text, prefixed);
}

type Named<Spec> = Exclude<Spec, OriginLabel>;
/** Reads a text with a known prefix. */
type ServerReader<Spec> = (text: string, prefixed: Prefixed) => Named<Spec>;

/** What messages call things. */
interface Words {
  readonly kind: string;
  readonly label: string;
}

function parseArgument<Spec extends OriginSpec>(
  argument: string,
  options: ParseOriginOptions,
  readServer: ServerReader<Spec>,
  words: Words,
): Spec | OriginFolder | OriginLabel {
  if (argument === '') {
    throw new SkillwireError('USAGE', 'an origin is an empty text; name a folder, for example ./skills');
  }
  if (argument.includes('\0')) {
    throw new SkillwireError('USAGE', 'an origin contains a NUL character; name a folder, for example ./skills');
  }
  const whole = resolveOrigin(argument, options, readServer, words);
  if (whole !== undefined) return whole;

  const equals = argument.indexOf('=');
  if (equals === -1) throw notFound(argument, words);
  const label = argument.slice(0, equals);
  const origin = argument.slice(equals + 1);
  if (!isLabel(label)) {
    throw new SkillwireError(
      'USAGE',
      `"${label}" in "${argument}" cannot be a label: ${labelRule}; ` +
        `choose another label, or write "./${argument}" for a folder of that name`,
      { data: { argument, label } },
    );
  }
  if (origin === '') {
    throw new SkillwireError('USAGE', `"${argument}" names no origin; write ${label}=${words.kind}`, {
      data: { argument },
    });
  }
  const named = resolveOrigin(origin, options, readServer, words);
  if (named === undefined) throw notFound(origin, words);
  if ('configured' in named) {
    throw new SkillwireError(
      'USAGE',
      `"${argument}" gives a second label to "${origin}", which is ${words.label}; ` +
        `write "${origin}", or "${label}=./${origin}" for a folder`,
      { data: { argument, label: origin } },
    );
  }
  return { ...named, label };
}

/** An origin without `LABEL=`; `undefined` if the text names nothing. */
function resolveOrigin<Spec extends OriginSpec>(
  text: string,
  { exists, labels }: ParseOriginOptions,
  readServer: ServerReader<Spec>,
  words: Words,
): Named<Spec> | OriginFolder | OriginLabel | undefined {
  if (looksLikePath(text)) return { folder: text };
  const configured = labels.includes(text);
  if (exists(text)) {
    if (!configured) return { folder: text };
    throw new SkillwireError(
      'USAGE',
      `"${text}" is both an existing path and ${words.label}; ` +
        `write "./${text}" for the path, or rename the label to use the configured origin`,
      { data: { origin: text } },
    );
  }
  const prefixed = prefixOf(text);
  if (prefixed !== undefined) return readServer(text, prefixed);
  return configured ? { configured: text } : undefined;
}

function refuseServer(text: string, { prefix }: Prefixed): never {
  throw new SkillwireError(
    'ORIGIN_UNSUPPORTED',
    `"${text}" cannot be checked: files of folders are, and "${prefix}" is no folder; ` +
      'name a folder, for example ./skills, or use "skillwire verify" for what others serve',
    { data: { origin: text, prefix } },
  );
}

function notFound(text: string, { label }: Words): SkillwireError {
  return new SkillwireError(
    'ORIGIN_NOT_FOUND',
    `"${text}" is neither an existing path nor ${label}; write ./${text} for a folder`,
    { data: { origin: text } },
  );
}
