/**
 * Reads the ORIGIN arguments of the command line: `[LABEL=]ORIGIN`. Pure: whether a path exists is asked of the caller.
 *
 * The order decides, and nothing is guessed: an existing path, or a text that begins like one, is a folder; then a known
 * prefix; then a label of the configuration. A text that is both an existing path and a label is refused.
 */
import { SkillwireError } from '../errors.ts';

export type OriginSpec = OriginFolder | ConfiguredOriginName;

export interface OriginFolder {
  readonly label?: string;
  /** As written: not resolved, `~` not expanded. */
  readonly folder: string;
}

export interface ConfiguredOriginName {
  /** A label of the configuration. */
  readonly configured: string;
}

export interface ParseOriginOptions {
  readonly exists: (path: string) => boolean;
  /** Labels of the configuration that is in force. */
  readonly labels: readonly string[];
}

export const labelLength = 64;
export const labelPattern: RegExp = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/;
export const labelRule: string = `a label is 1 to ${labelLength} of a-z and 0-9, with "-", "_" and "." inside`;

export function isLabel(text: string): boolean {
  return text.length <= labelLength && labelPattern.test(text);
}

const prefixes = ['mcp:', 'stdio:', 'https://', 'http://', 'mdp:', 'git:', 'agent:'] as const;

/** The prefix that says the origin is not a folder, in its usual spelling. */
export function originPrefix(text: string): string | undefined {
  const lower = text.toLowerCase();
  return prefixes.find((prefix) => lower.startsWith(prefix));
}

/** True where a text begins like a path: `.`, `/`, `~`, a drive or a network share. */
function looksLikePath(text: string): boolean {
  return /^(?:[./~]|[A-Za-z]:(?:[\\/]|$)|\\\\)/.test(text);
}

export function parseOrigin(argument: string, options: ParseOriginOptions): OriginSpec {
  if (argument === '') {
    throw new SkillwireError('USAGE', 'an origin is an empty text; name a folder, for example ./skills');
  }
  if (argument.includes('\0')) {
    throw new SkillwireError('USAGE', 'an origin contains a NUL character; name a folder, for example ./skills');
  }
  const whole = resolveOrigin(argument, options);
  if (whole !== undefined) return whole;

  const equals = argument.indexOf('=');
  if (equals === -1) throw notFound(argument);
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
    throw new SkillwireError('USAGE', `"${argument}" names no origin; write ${label}=FOLDER`, { data: { argument } });
  }
  const named = resolveOrigin(origin, options);
  if (named === undefined) throw notFound(origin);
  if ('configured' in named) {
    throw new SkillwireError(
      'USAGE',
      `"${argument}" gives a second label to "${origin}", which is a label of the configuration; ` +
        `write "${origin}", or "${label}=./${origin}" for a folder`,
      { data: { argument, label: origin } },
    );
  }
  return { label, folder: named.folder };
}

/** An origin without `LABEL=`; undefined where nothing is known by this text. */
function resolveOrigin(text: string, { exists, labels }: ParseOriginOptions): OriginSpec | undefined {
  if (looksLikePath(text)) return { folder: text };
  const configured = labels.includes(text);
  if (exists(text)) {
    if (!configured) return { folder: text };
    throw new SkillwireError(
      'USAGE',
      `"${text}" is both an existing path and a label of the configuration; ` +
        `write "./${text}" for the path, or rename the label to use the configured origin`,
      { data: { origin: text } },
    );
  }
  const prefix = originPrefix(text);
  if (prefix !== undefined) {
    throw new SkillwireError(
      'ORIGIN_UNSUPPORTED',
      `"${text}" cannot be read: this version serves folders only and "${prefix}" is not a folder; ` +
        'name a folder, for example ./skills',
      { data: { origin: text, prefix } },
    );
  }
  return configured ? { configured: text } : undefined;
}

function notFound(text: string): SkillwireError {
  return new SkillwireError(
    'ORIGIN_NOT_FOUND',
    `"${text}" is neither an existing path nor a label of the configuration; write ./${text} for a folder`,
    { data: { origin: text } },
  );
}
