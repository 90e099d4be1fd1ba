/**
 * Who sent a request, as the connection shows it. The server that owns the socket says it once for each request (`node/http/senders.ts`), and
 * every surface asks here. A request that no server of ours received has an unknown sender, who is not local.
 */

export interface Sender {
  /** Tells clients apart by their network address. `undefined` behind a proxy, where all of them look alike. */
  readonly client: string | undefined;
  /** Whether the request comes from this machine and not through a proxy. */
  readonly local: boolean;
  /** Which page sent the request: no page, one of this server, or one of another origin. */
  readonly page: 'none' | 'own' | 'other';
}

const unknownSender: Sender = { client: undefined, local: false, page: 'none' };

/** A request of the Fetch API has no field for this. */
const senders = new WeakMap<Request, Sender>();

export function sentBy(request: Request, sender: Sender): Request {
  senders.set(request, sender);
  return request;
}

export function senderOf(request: Request): Sender {
  return senders.get(request) ?? unknownSender;
}

/** Whether the reader may see local paths and the state of the server. Pages of other origins never may. */
export function isLocalReader({ local, page }: Sender): boolean {
  return local && page !== 'other';
}
