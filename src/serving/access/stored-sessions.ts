/**
 * Page sessions in a shared store, so that every server continues them. A person of an identity provider has a text that only one process
 * knows. So a copy has the person instead, and each server makes a text of its own.
 */
import { limits } from '../../limits.ts';
import type { JsonValue } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { Identity } from './oidc/identity-provider.ts';
import type { PageVault } from './page-vault.ts';

export interface PageSession {
  readonly token: string;
  /** A secret that only our pages can read. */
  readonly csrf: string;
  /** The address at which the browser signs out at the identity provider. */
  readonly endSession?: string | undefined;
}

/** An id is the value of a cookie. */
export interface StoredSessions {
  save(id: string, session: PageSession): Promise<void>;
  /** `undefined`: signed out, or never signed in. The function returns the session. */
  find(id: string): Promise<(() => PageSession) | undefined>;
  remove(id: string): Promise<unknown>;
  /** Attempts to sign in at an identity provider, which may send the browser back to another server. */
  readonly attempts: PageVault;
}

/** People who signed in on the page, by a text that never leaves this process. */
export interface SignedInPeople {
  of(token: string): Identity | undefined;
  add(person: Identity): string;
}

export function storedSessions(vault: PageVault, people: SignedInPeople): StoredSessions {
  return {
    async save(id, { token, csrf, endSession }) {
      const person = people.of(token);
      const who = person === undefined ? { token } : { person };
      const value = JSON.parse(JSON.stringify({ ...who, csrf, endSession })) as JsonValue;
      await vault.save(id, value, limits.page.sessionMs);
    },
    async find(id) {
      const value = await vault.find(id);
      if (!isJsonObject(value)) return undefined;
      const { token, person, csrf, endSession } = value;
      if (typeof csrf !== 'string' || (typeof token !== 'string' && !isJsonObject(person))) return undefined;
      return () => ({
        // Only our own servers can seal a value, so this is what `save()` wrote.
        token: typeof token === 'string' ? token : people.add(person as unknown as Identity),
        csrf,
        ...(typeof endSession === 'string' ? { endSession } : {}),
      });
    },
    remove: (id) => vault.remove(id),
    attempts: vault,
  };
}
