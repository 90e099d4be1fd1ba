/**
 * The stored grants of the user, one for each origin. One process at a time refreshes a grant. It locks before it reads the stored grant,
 * and unlocks after it has written the new one. Authorization servers that rotate refresh tokens end a grant whose token comes twice.
 */
import type { PrivateRecords } from '../store/private-records.ts';
import { decodeGrant, encodeGrant, type Grant } from './grant.ts';

/** The result of a refresh. */
export type Refreshed = { readonly grant: Grant } | { readonly ended: Error };

export function createGrantBook(records: PrivateRecords) {
  const read = async (url: string): Promise<Grant | undefined> => {
    const record = await records.get(url);
    return record === undefined ? undefined : decodeGrant(record);
  };
  return {
    get: read,
    /** By address. */
    list: async (): Promise<readonly Grant[]> =>
      (await records.list()).map(decodeGrant).sort((a, b) => (a.url < b.url ? -1 : 1)),
    put: (grant: Grant): Promise<void> =>
      records.change(grant.url, async () => ({ next: encodeGrant(grant), result: undefined })),
    /** Removes whatever is stored, even if it is damaged. @param only leaves another grant than this alone */
    remove: (url: string, only?: Grant): Promise<void> =>
      records.change(url, async (stored) => {
        if (only === undefined) return { next: null, result: undefined };
        const record = await stored();
        const same = record !== undefined && decodeGrant(record).accessToken === only.accessToken;
        return { ...(same ? { next: null } : {}), result: undefined };
      }),
    /**
     * Refreshes the grant unless another process has replaced it since. A grant that has ended is removed.
     *
     * @param stale the grant that is not good any more
     * @returns `undefined` if there is none any more
     */
    async refresh(stale: Grant, request: (grant: Grant) => Promise<Refreshed>): Promise<Grant | undefined> {
      const outcome = await records.change<Refreshed | undefined>(stale.url, async (stored) => {
        const record = await stored();
        if (record === undefined) return { result: undefined };
        const current = decodeGrant(record);
        if (current.accessToken !== stale.accessToken) return { result: { grant: current } };
        const refreshed = await request(current);
        return { next: 'ended' in refreshed ? null : encodeGrant(refreshed.grant), result: refreshed };
      });
      if (outcome !== undefined && 'ended' in outcome) throw outcome.ended;
      return outcome?.grant;
    },
  };
}

export type GrantBook = ReturnType<typeof createGrantBook>;
