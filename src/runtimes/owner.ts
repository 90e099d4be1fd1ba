/**
 * To whom the id of a live runtime belongs. Where credentials are checked, to the credential. Where they are not, to whoever
 * presents the same authentication from the same web origin: then a reload of a page takes its own id over, a page of another
 * origin or a program with another token does not. Two programs that present nothing at all cannot be told apart.
 */
import type { MdpAuth } from '../dialects/mdp/messages.ts';
import type { RuntimeConnection } from './runtime-registry.ts';

export type Authenticate = (auth: MdpAuth) => string | undefined;

export type Ownership =
  | { readonly ok: true; readonly owner: string; readonly credential?: string }
  | { readonly ok: false; readonly reason: string };

function presented({ origin, auth }: RuntimeConnection, message: MdpAuth | undefined): string {
  return JSON.stringify(['presented', origin ?? null, auth ?? null, message ?? null]);
}

/** Who registers. `authenticate` is absent where everybody may. */
export function ownershipOf(
  connection: RuntimeConnection,
  message: MdpAuth | undefined,
  authenticate: Authenticate | undefined,
): Ownership {
  if (authenticate === undefined) return { ok: true, owner: presented(connection, message) };
  const credential = connection.credential ?? (message === undefined ? undefined : authenticate(message));
  if (credential === undefined)
    return { ok: false, reason: message === undefined ? 'a token is required' : 'the token is not accepted' };
  return { ok: true, owner: `credential:${credential}`, credential };
}

export function authSource(
  transport: MdpAuth | undefined,
  message: MdpAuth | undefined,
): 'none' | 'message' | 'transport' | 'transport+message' {
  if (transport !== undefined) return message === undefined ? 'transport' : 'transport+message';
  return message === undefined ? 'none' : 'message';
}
