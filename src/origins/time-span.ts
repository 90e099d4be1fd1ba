/** Reads a span of time: `30d`, `12h`, `45m`. */
import { limits } from '../limits.ts';

const units: Readonly<Record<string, number>> = { m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 };

/** In milliseconds; undefined for what is no span, nothing, or longer than anybody means. */
export function spanMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (units[unit] ?? Number.NaN);
  return ms > 0 && ms <= limits.pin.longestMs ? ms : undefined;
}

const shortUnits: Readonly<Record<string, number>> = { ms: 1, s: 1_000, ...units };

/** The same with `s` and `ms` too, for deadlines and times to live: `10s`, `500ms`. Undefined for what is none, or nothing. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})(ms|[smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (shortUnits[unit] ?? Number.NaN);
  return ms > 0 && ms <= limits.pin.longestMs ? ms : undefined;
}
