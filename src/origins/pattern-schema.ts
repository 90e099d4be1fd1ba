/** Texts that several parts of the configuration have: patterns, spans of time, names. */
import { z } from 'zod';
import { durationMs } from './time-span.ts';

export const pattern = z
  .string({ error: 'a pattern is a text' })
  .regex(/^(?![#!])(?!\s*$)(?!\/+$)[^\p{Cc}]*[^\p{Cc}\\]$/u, {
    error:
      'a pattern is one line that is not blank, not only "/", does not begin with "#" or "!" and does not end in "\\"',
  })
  .meta({
    description: 'Pattern on the path of a skill, in the manner of .gitignore.',
    examples: ['drafts/', '*-internal', 'team-a/**'],
  });

export interface SpanBounds {
  readonly least?: number;
  readonly most: number;
  readonly example: string;
}

/** A span such as `10s`, as milliseconds within bounds. */
export function duration(key: string, { least = 1, most, example }: SpanBounds) {
  const error = `"${key}" is a time from ${spanText(least)} to ${spanText(most)}, for example "${example}"`;
  return z
    .string({ error })
    .refine((text) => within(durationMs(text), least, most), { error })
    .meta({ examples: [example] });
}

function within(ms: number | undefined, least: number, most: number): boolean {
  return ms !== undefined && ms >= least && ms <= most;
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
