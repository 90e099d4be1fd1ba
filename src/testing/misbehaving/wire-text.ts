/**
 * Turns answers into bytes, the same way on every transport. An endless producer waits for the reader, and stops when
 * the reader disconnects or the server closes.
 */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Call, Chunk, Chunks } from './misbehavior.ts';

/** The text of the single message; `undefined` if the answer is not a single message. */
export function messageText(id: Call['id'], answer: Answer): string | undefined {
  if (answer.kind === 'result') return JSON.stringify({ jsonrpc: '2.0', id, result: answer.result });
  if (answer.kind !== 'error') return undefined;
  const { code, message, data } = answer;
  const error = data === undefined ? { code, message } : { code, message, data };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

/** Writes all chunks, or stops when the reader disconnects. `false` if it did. */
export async function writeAll(to: Writable, chunks: Chunks, life: AbortSignal): Promise<boolean> {
  let sinceYield = 0;
  for await (const chunk of chunks()) {
    if (to.destroyed || life.aborted) return false;
    sinceYield += 1;
    if (!to.write(chunk)) {
      if (!(await drained(to, life))) return false;
    } else if (sinceYield % 256 === 0) {
      // Small chunks of an endless producer must not block the event loop.
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
    // The reader disconnected, or the server is closing. Either stops the producer.
    return false;
  } finally {
    to.off('close', stop);
    life.removeEventListener('abort', stop);
  }
}

/** Cuts bytes into pieces of this size, with a pause between them. */
export function dripping(bytes: Uint8Array, size: number, everyMs: number, life: AbortSignal): Chunks {
  return async function* (): AsyncGenerator<Chunk> {
    for (let at = 0; at < bytes.length && !life.aborted; at += size) {
      yield bytes.subarray(at, at + size);
      await pause(everyMs, life);
    }
  };
}

/** Resolves early, without an error, when the server closes. */
export async function pause(ms: number, life: AbortSignal): Promise<void> {
  if (life.aborted) return;
  await sleep(ms, undefined, { signal: life }).catch((error: unknown) => {
    if (!life.aborted) throw error;
  });
}

/** `head`, then `piece` repeated `times` times (possibly forever), then `tail`. */
export function repeating(head: string, piece: Chunk, times: number, tail = ''): Chunks {
  return function* (): Generator<Chunk> {
    yield head;
    for (let index = 0; index < times; index++) yield piece;
    yield tail;
  };
}
