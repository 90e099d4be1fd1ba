/**
 * The sender of a request, as seen on the connection. The HTTP server sets it once per request (`node/http/senders.ts`), and every surface
 * reads it here. A request without a sender counts as not local.
 */

export interface Sender {
  /** Identifies a client by its network address. `undefined` behind a proxy, where all clients look alike. */
  readonly client: string | undefined;
  /** True if the request comes from this machine, without a proxy. */
  readonly local: boolean;
  /** The page that sent the request: none, one of this server, or another one. */
  readonly page: 'none' | 'own' | 'other';
}

const unknownSender: Sender = { client: undefined, local: false, page: 'none' };

/** A `Request` of the Fetch API has no field for the sender. */
const senders = new WeakMap<Request, Sender>();

export function sentBy(request: Request, sender: Sender): Request {
  senders.set(request, sender);
  return request;
}

export function senderOf(request: Request): Sender {
  return senders.get(request) ?? unknownSender;
}

/** True if the reader may see local paths and the state of the server. Pages of other web origins never may. */
export function isLocalReader({ local, page }: Sender): boolean {
  return local && page !== 'other';
}
