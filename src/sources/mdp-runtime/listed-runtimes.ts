/** Reads a listing page by page, and puts the skills of one runtime together again. */
import type { ListedSkill, ListingRows } from '../../dialects/mdp/decode-listing.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import type { LiveRuntime } from './runtime-skills.ts';

/** @throws SkillwireError BAD_ANSWER where a page is no listing, LIMIT_EXCEEDED where there is no end to it */
export async function allRows<R>(
  name: string,
  page: (cursor: string | undefined) => Promise<ListingRows<R> | undefined>,
): Promise<{ readonly rows: readonly R[]; readonly unusable: number }> {
  const rows: R[] = [];
  let unusable = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < limits.origin.pages; pages++) {
    const answer = await page(cursor);
    if (answer === undefined)
      throw new SkillwireError('BAD_ANSWER', `${name} answered something else than a listing of runtimes`);
    rows.push(...answer.rows);
    unusable += answer.unusable;
    if (rows.length > limits.origin.entries) break;
    if (answer.nextCursor === undefined) return { rows, unusable };
    cursor = answer.nextCursor;
  }
  throw new SkillwireError('LIMIT_EXCEEDED', `the listing of ${name} does not come to an end within its limits`);
}

/** What is odd about a listing: that there is nothing in it, or that rows of it were passed over. */
export function listingFindings(name: string, rows: number, count: number): readonly Finding[] {
  if (rows + count === 0)
    return [finding('origin-nothing-connected', 'no live program with skills is connected to it yet')];
  if (count === 0) return [];
  const remedy = 'tell the operator of the hub; the other skills of the listing can be used';
  return [finding('origin-entry-refused', `${count} rows of the listing of ${name} are no skills`, { remedy })];
}

export function groupByRuntime(rows: readonly ListedSkill[]): readonly LiveRuntime[] {
  const runtimes = new Map<string, { id: string; name: string; paths: ListedSkill[] }>();
  for (const row of rows) {
    const known = runtimes.get(row.clientId);
    if (known === undefined) runtimes.set(row.clientId, { id: row.clientId, name: row.clientName, paths: [row] });
    else known.paths.push(row);
  }
  return [...runtimes.values()];
}
