/**
 * A runtime directory lets a source find and call live runtimes. It is the registry of this process, or the listing of
 * another MDP server.
 */

import type { ListedLiveSkill, ListingRows } from '../../dialects/mdp/decode-listing.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { CallOutcome, RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import type { SourceContext } from '../skill-source.ts';
import type { LiveRuntime } from './runtime-skills.ts';

export interface RuntimeDirectory {
  /** For messages. */
  readonly name: string;
  /** All runtimes, in order of registration. */
  runtimes(context: SourceContext): Promise<readonly LiveRuntime[]>;
  /** One runtime, if a lookup does not need the whole listing. */
  runtime?(id: string): LiveRuntime | undefined;
  /** Findings of the last listing. */
  findings?(): readonly Finding[];
  /** Fetches the text at a path. Declared digests are already checked. */
  call(clientId: string, path: string, context: SourceContext): Promise<CallOutcome>;
  /** Reports the ids of runtimes that came, changed or went. Absent if changes are not reported. */
  watch?(listener: (changed: ReadonlySet<string>) => void): () => void;
  close?(): Promise<void>;
}

/** Closing the source leaves the registry open: its creator owns it. */
export function registryDirectory(registry: RuntimeRegistry): RuntimeDirectory {
  return {
    name: 'live runtimes',
    runtimes: async () => registry.clients(),
    runtime: (id) => registry.client(id),
    call: (clientId, path, { signal }) => registry.call({ clientId, method: 'GET', path }, signal),
    watch: (listener) => registry.watch(listener),
  };
}

/**
 * Reads all pages of a listing.
 *
 * @throws SkillwireError BAD_ANSWER if a page is not a listing, LIMIT_EXCEEDED if it does not end
 */
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
      throw new SkillwireError('BAD_ANSWER', `${name} did not answer with a listing of runtimes. Check the address.`);
    rows.push(...answer.rows);
    unusable += answer.unusable;
    if (rows.length > limits.origin.entries) break;
    if (answer.nextCursor === undefined) return { rows, unusable };
    cursor = answer.nextCursor;
  }
  throw new SkillwireError('LIMIT_EXCEEDED', `The listing of ${name} exceeds the limits of a listing.`);
}

/** Findings about a listing: it is empty, or some rows were skipped. */
export function listingFindings(name: string, rows: number, count: number): readonly Finding[] {
  if (rows + count === 0) return [finding('origin-nothing-connected', 'no live program with skills is connected yet')];
  if (count === 0) return [];
  const remedy = 'report it to the operator of the hub; the other skills of the listing work';
  return [finding('origin-entry-refused', `${count} rows in the listing of ${name} are not skills`, { remedy })];
}

export function groupByRuntime(rows: readonly ListedLiveSkill[]): readonly LiveRuntime[] {
  const runtimes = new Map<string, { id: string; name: string; paths: ListedLiveSkill[] }>();
  for (const row of rows) {
    const known = runtimes.get(row.clientId);
    if (known === undefined) runtimes.set(row.clientId, { id: row.clientId, name: row.clientName, paths: [row] });
    else known.paths.push(row);
  }
  return [...runtimes.values()];
}
