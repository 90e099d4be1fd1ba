/**
 * How much one origin may make the host fetch for a model within a stretch of time, in files and in bytes (sec:C-17). What
 * comes from the cache costs nothing.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';

export interface FetchBudget {
  /** Before a fetch, as far as its size is known; `files` is 0 for bytes of a file that was counted. @throws LIMIT_EXCEEDED */
  spend(label: string, bytes: number, files?: 0 | 1): void;
}

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

export function createFetchBudget(most: FetchBudgetLimits = defaults, now: () => number = Date.now): FetchBudget {
  const spent = new Map<string, Spent>();
  return {
    spend(label, bytes, files = 1) {
      const at = now();
      let own = spent.get(label);
      if (own === undefined || at - own.since >= most.windowMs || at < own.since) {
        own = { since: at, files: 0, bytes: 0 };
        spent.set(label, own);
      }
      if (own.files + files > most.files || own.bytes + bytes > most.bytes)
        throw new SkillwireError(
          'LIMIT_EXCEEDED',
          `will not fetch more from ${quoteText(label)}: its skills had ${own.files} files and ${own.bytes} bytes fetched; ` +
            `at most ${most.files} files and ${most.bytes} bytes are fetched within ${most.windowMs / 60_000} minutes`,
          { data: { label, files: own.files, bytes: own.bytes } },
        );
      own.files += files;
      own.bytes += bytes;
    },
  };
}
