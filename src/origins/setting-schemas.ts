/** Schemas that several parts of the configuration share: patterns, durations and `pin`. */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { durationMs, spanMs } from './time-span.ts';

export const pattern = z
  .string({ error: 'a pattern must be a string' })
  .regex(/^(?![#!])(?!\s*$)(?!\/+$)[^\p{Cc}]*[^\p{Cc}\\]$/u, {
    error:
      'a pattern must be one line that is not blank, not only "/", does not begin with "#" or "!" and does not end in "\\"',
  })
  .meta({
    description: 'Pattern on the path of a skill, as in .gitignore.',
    examples: ['drafts/', '*-internal', 'team-a/**'],
  });

/** A duration such as `10s`, within bounds in milliseconds. */
export function duration(key: string, { least = 1, most, example }: { least?: number; most: number; example: string }) {
  const error = `"${key}" must be a time from ${spanText(least)} to ${spanText(most)}, for example "${example}"`;
  return z
    .string({ error })
    .refine(
      (text) => {
        const ms = durationMs(text) ?? Number.NaN;
        return ms >= least && ms <= most;
      },
      { error },
    )
    .meta({ examples: [example] });
}

function spanText(ms: number): string {
  const units = [
    ['d', 24 * 60 * 60_000],
    ['h', 60 * 60_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const;
  const found = units.find(([, size]) => ms >= size && ms % size === 0);
  return found === undefined ? `${ms}ms` : `${ms / found[1]}${found[0]}`;
}

/** Which live skills are served as a snapshot, and for how long. */
export interface ConfiguredPin {
  /** Pattern on the path of a live skill, as in `.gitignore`. */
  readonly match: string;
  /** Absent: until it is unpinned. */
  readonly forMs?: number;
}

const spanError = '"for" must be days, hours or minutes, for example "30d", "12h" or "45m"';

export const pinRules = z
  .array(
    z
      .strictObject(
        {
          match: pattern,
          for: z
            .string({ error: spanError })
            .refine((text) => spanMs(text) !== undefined, { error: spanError })
            .optional()
            .meta({ description: 'How long: days, hours or minutes.', examples: ['30d', '12h', '45m'] }),
        },
        { error: 'a rule must be an object with "match" and "for"' },
      )
      .meta({ description: 'Live skills that are pinned as soon as they are seen.' }),
    { error: '"pin" must be a list' },
  )
  .max(limits.gateway.settings, { error: `"pin" has at most ${limits.gateway.settings} rules` });

export function configuredPin(rule: { readonly match: string; readonly for?: string | undefined }): ConfiguredPin {
  const forMs = rule.for === undefined ? undefined : spanMs(rule.for);
  return forMs === undefined ? { match: rule.match } : { match: rule.match, forMs };
}
