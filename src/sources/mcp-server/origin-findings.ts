/** Findings about a server's answers: refused entries, deviations, incomplete listings. */
import { shortFaults } from '../../dialects/skills-extension/decode-skills.ts';
import type { Remark } from '../../dialects/skills-extension/remark.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type Finding, finding, withRest } from '../../skill/finding.ts';
import type { RefusedEntry } from '../skill-source.ts';

/** Collects the findings of one listing. Each remark about the answers is reported once, not once per page. */
export function createFindings() {
  const reported = new Set<string>();
  let fresh: Finding[] = [];
  let left: Finding[] = [];
  let count = 0;

  function add(found: Finding): void {
    count++;
    (count <= limits.origin.findings ? fresh : left).push(found);
  }

  return {
    refused({ uri, name, faults }: RefusedEntry): void {
      const what =
        uri === undefined
          ? name === undefined
            ? 'an entry'
            : `the entry of ${quoteText(name)}`
          : `the entry ${quoteText(uri)}`;
      add(finding('origin-entry-refused', `${what} cannot be used: ${shortFaults(faults)}`));
    },
    remark({ requirement, message, uri }: Remark): void {
      const key = `${requirement} ${message} ${uri ?? ''}`;
      if (reported.has(key)) return;
      reported.add(key);
      add(finding('origin-entry-unusual', `${message} (${requirement})`, { skill: uri }));
    },
    /** The listing uses an older dialect. */
    older: (message: string): void => add(finding('origin-older-dialect', message)),
    cut(reason: string): void {
      // Never dropped: without it a part would pass as the whole.
      const message = `the listing is incomplete, because ${reason}; there may be more skills`;
      fresh.push(finding('origin-listing-cut', message));
    },
    /** Findings since the last call. */
    take(): readonly Finding[] {
      const findings =
        left.length === 0
          ? fresh
          : withRest(fresh, [...fresh, ...left], (more) => `${more} more findings about the listing are not listed`);
      fresh = [];
      left = [];
      return findings;
    },
  };
}

export type OriginFindings = ReturnType<typeof createFindings>;
