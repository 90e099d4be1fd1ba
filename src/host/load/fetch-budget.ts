/**
 * Limits the files and bytes that one origin may make the host fetch for a model within a time window (sec:C-17).
 * Cached files cost nothing.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';

interface Spent {
  since: number;
  files: number;
  bytes: number;
}

export interface FetchBudgetLimits {
  readonly files: number;
  readonly bytes: number;
  readonly windowMs: number;
}

const defaults: FetchBudgetLimits = {
  files: limits.host.originFiles,
  bytes: limits.host.originBytes,
  windowMs: limits.host.originWindowMs,
};

export function createFetchBudget(most: FetchBudgetLimits = defaults, now: () => number = Date.now) {
  const spent = new Map<string, Spent>();
  return {
    /**
     * Call before a fetch with the size if it is known; `files` is 0 for bytes of a file already counted. @throws
     * LIMIT_EXCEEDED
     */
    spend(label: string, bytes: number, files: 0 | 1 = 1): void {
      const at = now();
      let own = spent.get(label);
      if (own === undefined || at - own.since >= most.windowMs || at < own.since) {
        own = { since: at, files: 0, bytes: 0 };
        spent.set(label, own);
      }
      if (own.files + files > most.files || own.bytes + bytes > most.bytes)
        throw new SkillwireError(
          'LIMIT_EXCEEDED',
          `Too many downloads from ${quoteText(label)}: ${own.files} files and ${own.bytes} bytes. ` +
            `At most ${most.files} files and ${most.bytes} bytes are allowed within ${most.windowMs / 60_000} minutes.`,
          { data: { label, files: own.files, bytes: own.bytes } },
        );
      own.files += files;
      own.bytes += bytes;
    },
  };
}

export type FetchBudget = ReturnType<typeof createFetchBudget>;
