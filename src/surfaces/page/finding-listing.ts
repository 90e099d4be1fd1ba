/** `GET /api/findings`: the findings of the server, problems first. The counts are those of `GET /api` and of the terminal. */
import type { Snapshot } from '../../catalog/snapshot.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { countFindings, type Finding, type FindingLevel } from '../../skill/finding.ts';
import type { FindingListing } from './page-data.ts';
import { numberIn } from './skill-listing.ts';

const levels: readonly FindingLevel[] = ['problem', 'warning', 'note'];

/** @throws SkillwireError USAGE */
export function findingListing({ findings }: Snapshot, query: URLSearchParams): FindingListing {
  const level = query.get('level');
  if (level !== null && !levels.some((one) => one === level))
    throw new SkillwireError('USAGE', `Unknown "level" ${quoteText(level)}. Use "problem", "warning" or "note".`);
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/);
  const offset = numberIn(query, 'offset', 0, { least: 0, most: limits.search.texts });
  const limit = numberIn(query, 'limit', limits.page.rows, { least: 1, most: limits.page.mostRows });
  const found = levels
    .filter((one) => level === null || one === level)
    .flatMap((one) => findings.filter((each) => each.level === one && each.omitted === undefined))
    .filter((each) => hasWords(each, words));
  return {
    findings: found.slice(offset, offset + limit),
    offset,
    total: found.length,
    counts: countFindings(findings),
  };
}

function hasWords({ file = '', skill = '', message, rule }: Finding, words: readonly string[]): boolean {
  const hay = `${file} ${skill} ${message} ${rule}`.toLowerCase();
  return words.every((word) => hay.includes(word));
}
