/**
 * A wire over plain requests, for networks that block WebSockets. One request waits at the hub for the next message;
 * others send our messages one at a time, in order. The session id travels in a header, so it never appears in logged
 * addresses.
 */
import { decodeServerMessage } from '../dialects/mdp/decode-server-message.ts';
import { type ClientMessage, httpLoopPath } from '../dialects/mdp/messages.ts';
import { reasonOf, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { closeCodes, type OpenWire, type WireEnd } from './wire.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const sessionHeader = 'x-mdp-session-id';

export function httpLoopWire(base: string, fetch: Fetch): OpenWire {
  const address = (name: string): string => new URL(`${httpLoopPath}/${name}`, base).href;

  return async (events, signal) => {
    const sessionId = await openSession(address('connect'), fetch, signal);
    const headers = { 'content-type': 'application/json', [sessionHeader]: sessionId };
    const stopped = new AbortController();
    const waiting: ClientMessage[] = [];
    let sending: Promise<void> | undefined;
    let over = false;

    function end(reason: WireEnd): void {
      if (over) return;
      over = true;
      stopped.abort();
      events.onEnd(reason);
    }

    async function sendAll(): Promise<void> {
      for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
        const body = JSON.stringify({ message });
        const answer = await fetch(address('send'), { method: 'POST', headers, body, signal: callSignal(stopped) });
        if (!answer.ok) throw new HubRefusal(answer.status, await textOf(answer));
        await answer.body?.cancel();
      }
    }

    async function poll(): Promise<void> {
      const { pollMs } = limits.runtimes;
      while (!over) {
        const startedAt = Date.now();
        const answer = await fetch(`${address('poll')}?waitMs=${pollMs}`, {
          headers,
          signal: callSignal(stopped, pollMs),
        });
        if (answer.status === 204) {
          // A hub should keep a poll open until it has a message. If it answers early, pause before the next poll.
          const early = limits.runtimeClient.idlePollMs - (Date.now() - startedAt);
          if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
          continue;
        }
        if (!answer.ok) throw new HubRefusal(answer.status, await textOf(answer));
        const body: unknown = await answer.json();
        if (over) return;
        const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
        const decoded = decodeServerMessage(message);
        if (decoded.ok) events.onMessage(decoded.message);
        else events.onFault(decoded.fault);
      }
    }

    const fail = (error: unknown): void => end(endOf(error));
    poll().catch(fail);

    return {
      send(message) {
        if (over) return;
        waiting.push(message);
        sending ??= sendAll()
          .catch(fail)
          .finally(() => {
            sending = undefined;
          });
      },
      async close() {
        over = true;
        await sending;
        stopped.abort();
        const signal = AbortSignal.timeout(limits.runtimeClient.closeMs);
        // The hub drops silent sessions anyway, so a failed disconnect does no harm.
        await fetch(address('disconnect'), { method: 'POST', headers, signal }).catch(() => undefined);
      },
    };
  };
}

class HubRefusal extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text === '' ? `the hub answered ${status}` : `the hub answered ${status}: ${text}`);
    this.status = status;
  }
}

/** 404 means that the hub lost the session. Any other 4xx status is a refusal. */
function endOf(error: unknown): WireEnd {
  const refused = error instanceof HubRefusal && error.status < 500 && error.status !== 404;
  const reason = reasonOf(error);
  return { code: refused ? closeCodes.refused : closeCodes.lost, reason };
}

async function openSession(url: string, fetch: Fetch, signal: AbortSignal): Promise<string> {
  const fault = (why: string, cause?: unknown): SkillwireError =>
    new SkillwireError('UNREACHABLE', `Cannot connect to "${url}": ${why}. Check that a hub runs there.`, {
      data: { url },
      cause,
    });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.runtimeClient.openMs)]);
  let body: unknown;
  try {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}', signal: deadline };
    const answer = await fetch(url, init);
    if (answer.status === 401 || answer.status === 403)
      throw new SkillwireError(
        'NOT_AUTHORIZED',
        `Cannot connect to "${url}": the hub answered ${answer.status}, ${await textOf(answer)}. ` +
          'Pass its token as auth, or have it allow this page.',
        { data: { url, status: answer.status } },
      );
    if (!answer.ok) throw fault(`it answered ${answer.status}`);
    body = await answer.json();
  } catch (error) {
    if (error instanceof SkillwireError || (signal.aborted && error === signal.reason)) throw error;
    throw fault(reasonOf(error), error);
  }
  const sessionId = typeof body === 'object' && body !== null && 'sessionId' in body ? body.sessionId : undefined;
  if (typeof sessionId !== 'string' || !/^[\x21-\x7e]{1,256}$/.test(sessionId))
    throw fault('it opened no session, so it is not an MDP hub');
  return sessionId;
}

/** Aborts when the wire ends or when the hub does not answer in time. */
function callSignal(stopped: AbortController, waitMs = 0): AbortSignal {
  return AbortSignal.any([stopped.signal, AbortSignal.timeout(waitMs + limits.runtimeClient.openMs)]);
}

/** The beginning of the hub's explanation of a refusal. */
async function textOf(answer: Response): Promise<string> {
  return (await answer.text()).trim().slice(0, limits.messages.quotedCharacters);
}
