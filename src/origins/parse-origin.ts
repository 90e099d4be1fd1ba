/**
 * Parses the ORIGIN arguments of the command line: `[LABEL=]ORIGIN`. Pure: the caller says whether a path exists.
 *
 * The order decides, and nothing is guessed:
 *
 * 1. a text that begins like a path
 * 2. a known prefix, or the address of a repository
 * 3. a label, unless nobody accepted its file
 * 4. an existing path
 * 5. `owner/repo` and its forms
 *
 * Commands that check an author's files accept folders only. All others accept every kind of `kinds.ts`.
 */
import { SkillwireError } from '../errors.ts';
import { didYouMean } from '../skill/did-you-mean.ts';
import { withoutUser } from './http-address.ts';
import type { OriginFolder } from './kinds/folder.ts';
import { everyKind, type FolderSpec, type NamedSpec, type OriginLabel, type OriginSpec } from './kinds.ts';
import { parseRepositoryAddress, parseShortSource, requireSkill } from './short-source.ts';

export interface ParseOriginOptions {
  readonly exists: (path: string) => boolean;
  /** The known labels. */
  readonly labels: readonly string[];
  /** Whether an existing path of this name comes before the label. Default: never. */
  readonly isAfterPath?: (label: string) => boolean;
  /** Called with the interpretation of a text, if the text does not show it. */
  readonly understood?: ((note: string) => void) | undefined;
}

export interface ReadOriginOptions extends ParseOriginOptions {
  /** Allow `http:` to other machines. */
  readonly insecureHttp?: boolean;
}

export const labelLength = 64;
export const labelPattern: RegExp = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/;
export const labelRule: string = `a label is 1 to ${labelLength} of a-z and 0-9, with "-", "_" and "." inside`;

export function isLabel(text: string): boolean {
  return text.length <= labelLength && labelPattern.test(text);
}

/** Longest first: one prefix may begin another. */
const prefixes = everyKind
  .flatMap(({ prefixed }) =>
    prefixed === undefined ? [] : prefixed.prefixes.map((prefix) => ({ prefix, ...prefixed })),
  )
  .sort((a, b) => b.prefix.length - a.prefix.length);

type Prefixed = (typeof prefixes)[number];

function prefixOf(text: string): Prefixed | undefined {
  const lower = text.toLowerCase();
  return prefixes.find(({ prefix }) => lower.startsWith(prefix));
}

/** True if a text begins like a path: `.`, `/`, `~`, a drive or a network share. */
function looksLikePath(text: string): boolean {
  return /^(?:[./~]|[A-Za-z]:(?:[\\/]|$)|\\\\)/.test(text);
}

/** An origin whose files are checked: a folder or a label. */
export function parseOrigin(argument: string, options: ParseOriginOptions): FolderSpec {
  const words = { kind: 'FOLDER', label: configuredLabel };
  return wholeOrigin(argument, parseArgument(argument, options, { prefixed: refuseServer }, words));
}

/** An origin that is served: any kind, or a label of the configuration. */
export function parseServedOrigin(argument: string, options: ReadOriginOptions): OriginSpec {
  const words = { kind: 'ORIGIN', label: configuredLabel };
  return wholeOrigin(argument, parseArgument(argument, options, everyReader(options), words));
}

/** An origin that is read: any kind, or a label. */
export function parseReadableOrigin(argument: string, options: ReadOriginOptions): OriginSpec {
  return parseArgument(argument, options, everyReader(options), {
    kind: 'ORIGIN',
    label: 'a label of the configuration or of "skillwire origins list"',
    hint: 'run "skillwire origins list"',
  });
}

const configuredLabel = 'a label of the configuration';

function everyReader({ insecureHttp = false }: Pick<ReadOriginOptions, 'insecureHttp'>): Readers<OriginSpec> {
  return {
    prefixed: (text, { prefix, parse }) => parse(text, prefix, insecureHttp) as NamedSpec,
    address: (text) => parseRepositoryAddress(text, insecureHttp),
    short: (text) => parseShortSource(text, insecureHttp),
  };
}

/**
 * An origin in the configuration. A text without a known prefix is a path. Pages of repositories are refused: as sites they have no skills.
 *
 * @throws SkillwireError USAGE or ORIGIN_UNSUPPORTED
 */
export function parseConfiguredOrigin(text: string, options: Pick<ReadOriginOptions, 'insecureHttp'>): NamedSpec {
  const prefixed = prefixOf(text);
  if (looksLikePath(text)) return { folder: text };
  const page = parseRepositoryAddress(text, options.insecureHttp === true);
  if (page !== undefined)
    throw new SkillwireError(
      'USAGE',
      `"${withoutUser(text)}" is a Git repository. Write "git:${page.repository}", with "#REF" or "#REF:PATH" for a part of it.`,
      { data: { repository: page.repository } },
    );
  if (prefixed === undefined) return { folder: text };
  return everyReader(options).prefixed(text, prefixed);
}

type Named<Spec> = Exclude<Spec, OriginLabel>;

interface Readers<Spec> {
  /** Parses a text with a known prefix. */
  prefixed(text: string, prefixed: Prefixed): Named<Spec>;
  /** Parses the address of a repository. Absent: it is not accepted. */
  address?(text: string): Named<Spec> | undefined;
  /** Parses `owner/repo` and its forms. Absent: they are not accepted. */
  short?(text: string): Named<Spec> | undefined;
}

/** The words of messages. */
interface Words {
  readonly kind: string;
  readonly label: string;
  /** The remedy for an unknown origin. */
  readonly hint?: string;
}

function parseArgument<Spec extends OriginSpec>(
  argument: string,
  options: ParseOriginOptions,
  readers: Readers<Spec>,
  words: Words,
): Spec | OriginFolder | OriginLabel {
  if (argument === '') {
    throw new SkillwireError('USAGE', 'An origin is an empty text. Name a folder, for example ./skills.');
  }
  if (argument.includes('\0')) {
    throw new SkillwireError('USAGE', 'An origin contains a NUL character. Name a folder, for example ./skills.');
  }
  const whole = resolveOrigin(argument, options, readers);
  if (whole !== undefined) return whole;

  const equals = argument.indexOf('=');
  if (equals === -1) throw notFound(argument, options, words);
  const label = argument.slice(0, equals);
  const origin = argument.slice(equals + 1);
  if (!isLabel(label)) {
    throw new SkillwireError(
      'USAGE',
      `"${label}" in "${argument}" cannot be a label: ${labelRule}. ` +
        `Choose another label, or write "./${argument}" for a folder of that name.`,
      { data: { argument, label } },
    );
  }
  if (origin === '') {
    throw new SkillwireError('USAGE', `"${argument}" names no origin. Write ${label}=${words.kind}.`, {
      data: { argument },
    });
  }
  const named = resolveOrigin(origin, options, readers);
  if (named === undefined) throw notFound(origin, options, words);
  if ('configured' in named) {
    throw new SkillwireError(
      'USAGE',
      `"${argument}" gives a second label to "${origin}", which is ${words.label}. ` +
        `Write "${origin}", or "${label}=./${origin}" for a folder.`,
      { data: { argument, label: origin } },
    );
  }
  return { ...named, label };
}

/** An origin without `LABEL=`; `undefined` if the text names nothing. */
function resolveOrigin<Spec extends OriginSpec>(
  text: string,
  { exists, labels, isAfterPath, understood }: ParseOriginOptions,
  readers: Readers<Spec>,
): Named<Spec> | OriginFolder | OriginLabel | undefined {
  if (looksLikePath(text)) return { folder: text };
  const repository = readers.address?.(text);
  if (repository !== undefined) return repository;
  const prefixed = prefixOf(text);
  if (prefixed !== undefined) return readers.prefixed(text, prefixed);
  const isLabelled = labels.includes(text);
  const isPath = exists(text);
  if (isLabelled && !(isPath && isAfterPath?.(text) === true)) return { configured: text };
  if (!isPath) return labelAndSkill(text, labels) ?? readers.short?.(text);
  if (isLabelled)
    understood?.(
      `"${text}" is the folder ./${text}. skillwire.json has an origin of that name, but it is not trusted: run "skillwire trust".`,
    );
  return { folder: text };
}

/** `LABEL@SKILL` with a known label; `undefined` for other texts. @throws SkillwireError USAGE */
export function labelAndSkill(text: string, labels: readonly string[]): Required<OriginLabel> | undefined {
  const at = text.indexOf('@');
  const configured = text.slice(0, Math.max(at, 0));
  if (at === -1 || !labels.includes(configured)) return undefined;
  const skill = text.slice(at + 1);
  requireSkill(text, skill, 'LABEL@SKILL');
  return { configured, skill };
}

function wholeOrigin<Spec extends OriginSpec>(argument: string, spec: Spec): Spec {
  if ('skill' in spec && spec.skill !== undefined) throw refuseSkill(argument, spec.skill);
  return spec;
}

/** For commands that take whole origins. */
export function refuseSkill(argument: string, skill: string): SkillwireError {
  const origin = argument.replace(`@${skill}`, '');
  return new SkillwireError(
    'USAGE',
    `"${argument}" names one skill, and this takes whole origins. Write "${origin}".`,
    { data: { argument, skill } },
  );
}

function refuseServer(text: string, { prefix }: Prefixed): never {
  throw new SkillwireError(
    'ORIGIN_UNSUPPORTED',
    `"${text}" cannot be checked: "${prefix}" is not a folder. ` +
      'Name a folder, for example ./skills, or use "skillwire verify" for the skills that others serve.',
    { data: { origin: text, prefix } },
  );
}

function notFound(text: string, { labels }: ParseOriginOptions, words: Words): SkillwireError {
  const { hint = `write ./${text} for a folder` } = words;
  const near = didYouMean(text, labels);
  return new SkillwireError(
    'ORIGIN_NOT_FOUND',
    `"${text}" is not a folder or a known origin.${near === '' ? ' Check the spelling, or' : `${near} Otherwise,`} ${hint}.`,
    { data: { origin: text } },
  );
}
