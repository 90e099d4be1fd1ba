/**
 * How an answer becomes bytes, with the same care on every transport: a producer without end waits for the reader and stops when
 * the reader goes or the server closes.
 */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Call, Chunk, Chunks } from './misbehaviour.ts';

/** The text of the one message that says this; undefined for answers that are no single message. */
export function messageText(id: Call['id'], answer: Answer): string | undefined {
  if (answer.kind === 'result') return JSON.stringify({ jsonrpc: '2.0', id, result: answer.result });
  if (answer.kind !== 'error') return undefined;
  const { code, message, data } = answer;
  const error = data === undefined ? { code, message } : { code, message, data };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

/** Writes all chunks, or as many as are wanted before the reader goes. False if it went. */
export async function writeAll(to: Writable, chunks: Chunks, life: AbortSignal): Promise<boolean> {
  let sinceYield = 0;
  for await (const chunk of chunks()) {
    if (to.destroyed || life.aborted) return false;
    sinceYield += 1;
    if (!to.write(chunk)) {
      if (!(await drained(to, life))) return false;
    } else if (sinceYield % 256 === 0) {
      // Small chunks of a producer without end must not keep the process from everything else.
      await sleep(0);
    }
  }
  return !to.destroyed;
}

async function drained(to: Writable, life: AbortSignal): Promise<boolean> {
  const gone = new AbortController();
  const stop = () => gone.abort();
  to.once('close', stop);
  life.addEventListener('abort', stop);
  try {
    if (to.destroyed || life.aborted) return false;
    await once(to, 'drain', { signal: gone.signal });
    return true;
  } catch {
    // The reader went, or the server closes: either ends the producer.
    return false;
  } finally {
    to.off('close', stop);
    life.removeEventListener('abort', stop);
  }
}

/** A text cut into pieces of so many bytes, with a pause between them. */
export function dripping(bytes: Uint8Array, size: number, everyMs: number, life: AbortSignal): Chunks {
  return async function* (): AsyncGenerator<Chunk> {
    for (let at = 0; at < bytes.length && !life.aborted; at += size) {
      yield bytes.subarray(at, at + size);
      await pause(everyMs, life);
    }
  };
}

/** Ends early, without an error, when the server closes. */
export async function pause(ms: number, life: AbortSignal): Promise<void> {
  if (life.aborted) return;
  await sleep(ms, undefined, { signal: life }).catch((error: unknown) => {
    if (!life.aborted) throw error;
  });
}

/** `head`, then `piece` for ever or so many times, then `tail`. */
export function repeating(head: string, piece: Chunk, times: number, tail = ''): Chunks {
  return function* (): Generator<Chunk> {
    yield head;
    for (let index = 0; index < times; index++) yield piece;
    yield tail;
  };
}
