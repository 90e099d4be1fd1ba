/**
 * People, programs and tokens of other issuers that were revoked here, under `['revoked', kind, issuer, id]` in the state. They stay
 * revoked until somebody restores them. The state is compared at each request, so a change counts from the next request on.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { StateKey } from '../../store/state-kinds.ts';
import type { AuditRecord, Store } from '../../store/store.ts';
import { decisionTime } from '../../store/tombstones.ts';
import type { Caller } from './serve-access.ts';

export type RevokedKind = 'subject' | 'jti';

export interface Revoked {
  readonly kind: RevokedKind;
  /** Absent: of every issuer. */
  readonly issuer?: string;
  /** The subject, or the id of a token. */
  readonly id: string;
}

export interface RevokedFacts extends Revoked {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly reason: string;
}

const kind = 'revoked';
const keyOf = ({ kind: what, issuer = '', id }: Revoked): StateKey => [kind, what, issuer, id];
const nameOf = (parts: readonly string[]): string => JSON.stringify(parts);

export function createRevocations({ state }: Pick<Store, 'state'>, now: () => number = Date.now) {
  let known: { readonly revision: number; readonly names: ReadonlySet<string> } | undefined;

  async function names(): Promise<ReadonlySet<string>> {
    const revision = await state.revision('projection');
    if (known?.revision === revision) return known.names;
    const entries = await state.entries([kind], 'projection');
    const found = { revision, names: new Set(entries.map(({ key: [, ...parts] }) => nameOf(parts))) };
    known = found;
    return found.names;
  }

  const record = (
    action: 'revoke-access' | 'restore-access',
    what: Revoked,
    reason: string,
    at: string,
  ): AuditRecord => ({
    at,
    action,
    by: 'person',
    reason,
    key: keyOf(what),
    data: { ...what },
  });

  return {
    /** @throws SkillwireError LIMIT_EXCEEDED */
    async add(what: Revoked, reason: string): Promise<void> {
      if ((await names()).size >= limits.access.revoked)
        throw new SkillwireError(
          'LIMIT_EXCEEDED',
          `More than ${limits.access.revoked} subjects and tokens are revoked. Restore some that can no longer sign in.`,
        );
      const at = await decisionTime(state, keyOf(what), now());
      await state.transact(() => ({
        writes: [{ key: keyOf(what), value: { at, reason } }],
        audit: [record('revoke-access', what, reason, at)],
        result: undefined,
      }));
    },
    /** False if it was not revoked. */
    async restore(what: Revoked, reason: string): Promise<boolean> {
      const key = keyOf(what);
      const at = await decisionTime(state, key, now());
      return state.transact((view) =>
        view.get(key) === undefined
          ? { writes: [], result: false }
          : { writes: [{ key, value: undefined }], audit: [record('restore-access', what, reason, at)], result: true },
      );
    },
    async list(): Promise<readonly RevokedFacts[]> {
      const entries = await state.entries([kind]);
      return entries.flatMap(({ key: [, what, issuer = '', id = ''], value }): RevokedFacts[] => {
        if (what !== 'subject' && what !== 'jti') return [];
        const { at = '', reason = '' } = (value ?? {}) as { readonly at?: string; readonly reason?: string };
        return [{ kind: what, ...(issuer === '' ? {} : { issuer }), id, at: String(at), reason: String(reason) }];
      });
    },
    async covers({ subject, tokenId }: Caller): Promise<boolean> {
      if (subject === undefined) return false;
      const revoked = await names();
      if (revoked.size === 0) return false;
      const { issuer, id } = subject;
      const has = (what: RevokedKind, of: string): boolean =>
        revoked.has(nameOf([what, issuer, of])) || revoked.has(nameOf([what, '', of]));
      return has('subject', id) || (tokenId !== undefined && has('jti', tokenId));
    },
  };
}
