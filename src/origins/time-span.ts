import { limits } from '../limits.ts';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 };

/** A span such as `30d`, `12h` or `45m` in milliseconds; `undefined` for any other text, for zero and above the limit. */
export function spanMs(text: string): number | undefined {
  return parsed(/^(\d{1,6})([mhd])$/.exec(text));
}

/** The same with `s` and `ms`, for deadlines and times to live: `10s`, `500ms`. */
export function durationMs(text: string): number | undefined {
  return parsed(/^(\d{1,9})(ms|[smhd])$/.exec(text));
}

function parsed(match: RegExpExecArray | null): number | undefined {
  const [, count, unit = ''] = match ?? [];
  const ms = Number(count) * (units[unit] ?? Number.NaN);
  return ms > 0 && ms <= limits.pin.longestMs ? ms : undefined;
}
