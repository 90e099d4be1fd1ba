/**
 * One request and its answer on node:http and node:https. Bodies are counted as they arrive and given up above the limit, below
 * the least speed, when they end early, or at the deadline (sec:N-7, N-8). Knows nothing of redirects and retries.
 */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { SkillwireError } from '../errors.ts';
import { connectionError } from './connection-error.ts';

/** How fast a body must come, once it has had some time to begin. */
export interface LeastRate {
  readonly bytesPerSecond: number;
  readonly graceMs: number;
}

export interface Exchange {
  readonly secure: boolean;
  readonly options: RequestOptions;
  readonly body?: string | Uint8Array;
  /** For messages. */
  readonly where: string;
  readonly signal?: AbortSignal;
  readonly maxBytes: number;
  /** When everything must be over, by the clock of `performance.now()`. */
  readonly endsAt: number;
  readonly deadlineMs: number;
  readonly leastRate: LeastRate;
  /** Sees each part of the body; true says that nothing more is needed. */
  readonly until?: (part: Uint8Array, headers: IncomingHttpHeaders) => boolean;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

export interface RawStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it comes, no faster than it is read; fails where a limit is passed. */
  readonly body: ReadableStream<Uint8Array>;
  /** Resolves when the connection is no longer used, however that came about. */
  readonly done: Promise<void>;
}

const noBody = new Uint8Array(0);

export function exchange(given: Exchange): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    run(given, {
      onAnswer: () => {},
      onPart: (part) => parts.push(part),
      onEnd({ statusCode, headers }) {
        const body = parts.length === 1 ? (parts[0] ?? noBody) : Buffer.concat(parts);
        resolve({ status: statusCode ?? 0, headers, body });
      },
      onFailure: reject,
    });
  });
}

/** The answer as soon as its headers are there. */
export function exchangeStream(given: Exchange): Promise<RawStream> {
  return new Promise((resolve, reject) => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    let finish: () => void = () => {};
    const done = new Promise<void>((settle) => {
      finish = settle;
    });
    run(given, {
      onAnswer(message, { pause, giveUp }) {
        const body = new ReadableStream<Uint8Array>({
          start: (given) => {
            controller = given;
          },
          pull: () => pause(false),
          cancel: giveUp,
        });
        resolve({ status: message.statusCode ?? 0, headers: message.headers, body, done });
      },
      onPart(part, { pause }) {
        controller?.enqueue(part);
        if ((controller?.desiredSize ?? 0) <= 0) pause(true);
      },
      onEnd() {
        controller?.close();
        finish();
      },
      onFailure(error) {
        if (controller === undefined) reject(error);
        else controller.error(error);
        finish();
      },
    });
  });
}

interface BodyControl {
  /** Stops and goes on reading; no least speed is asked of a body that is not read. */
  pause(paused: boolean): void;
  giveUp(): void;
}

interface Steps {
  onAnswer(message: IncomingMessage, control: BodyControl): void;
  onPart(part: Buffer, control: BodyControl): void;
  onEnd(message: IncomingMessage): void;
  onFailure(error: SkillwireError): void;
}

function run(given: Exchange, steps: Steps): void {
  const { where, signal, maxBytes, until } = given;
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  let received = 0;
  let announced: number | undefined;
  /** When the headers had come; 0 before. */
  let bodyBegan = 0;
  /** A body may take its time while nobody reads it, and where it is a stream of events. */
  let unhurried = false;

  const request = (given.secure ? httpsRequest : httpRequest)(given.options, onAnswer);
  request.on('error', (error) => fail(connectionError(where, error)));

  function finish(): boolean {
    if (over) return false;
    over = true;
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    return true;
  }

  function fail(error: SkillwireError): void {
    if (!finish()) return;
    // Without the error: it is told here, and a socket that is free again has nobody to hear it.
    request.destroy();
    steps.onFailure(error);
  }

  function onAbort(): void {
    fail(interrupted(where, signal));
  }

  function onCut(): void {
    fail(truncated(where, received, announced));
  }

  function watchClock(): void {
    const now = performance.now();
    const left = given.endsAt - now;
    const reading = bodyBegan === 0 ? 0 : now - bodyBegan;
    const { graceMs, bytesPerSecond } = given.leastRate;
    if (left <= 0) {
      fail(timedOut(given, bodyBegan === 0 ? undefined : received));
    } else if (!unhurried && reading >= graceMs && received < (reading / 1000) * bytesPerSecond) {
      fail(tooSlow(where, bytesPerSecond));
    } else {
      const nextLook = reading < graceMs ? graceMs - reading : graceMs / 10;
      timer = setTimeout(watchClock, Math.min(left, nextLook) + 1);
    }
  }

  function onAnswer(message: IncomingMessage): void {
    const { headers } = message;
    const fault = headerFault(given, headers);
    if (fault !== undefined) {
      fail(fault);
      return;
    }
    bodyBegan = performance.now();
    announced = announcedBytes(headers);
    const isEvents = headers['content-type']?.startsWith('text/event-stream') === true;
    unhurried = isEvents;
    const control: BodyControl = {
      pause(paused) {
        if (paused) message.pause();
        else if (message.isPaused()) message.resume();
        unhurried = isEvents || paused;
      },
      giveUp: () => fail(interrupted(where, undefined)),
    };
    message.on('data', (part: Buffer) => {
      if (over) return;
      received += part.length;
      if (received > maxBytes) {
        fail(tooLarge(where, maxBytes));
        return;
      }
      steps.onPart(part, control);
      if (until?.(part, headers) !== true || !finish()) return;
      message.destroy();
      steps.onEnd(message);
    });
    message.on('end', () => {
      if (finish()) steps.onEnd(message);
    });
    message.on('error', onCut);
    message.on('aborted', onCut);
    steps.onAnswer(message, control);
  }

  if (signal?.aborted === true) {
    onAbort();
    return;
  }
  signal?.addEventListener('abort', onAbort, { once: true });
  watchClock();
  if (!over) request.end(given.body);
}

function announcedBytes(headers: IncomingHttpHeaders): number | undefined {
  const length = Number(headers['content-length']);
  return Number.isSafeInteger(length) ? length : undefined;
}

/** What is wrong with an answer before a byte of its body is read. */
function headerFault({ where, maxBytes }: Exchange, headers: IncomingHttpHeaders): SkillwireError | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return new SkillwireError(
      'BAD_ANSWER',
      `cannot use "${where}": its answer is compressed, although that was not asked for`,
      { data: { url: where } },
    );
  return (announcedBytes(headers) ?? 0) > maxBytes ? tooLarge(where, maxBytes) : undefined;
}

export function interrupted(where: string, signal: AbortSignal | undefined): SkillwireError {
  return new SkillwireError('INTERRUPTED', `gave up on "${where}": the caller did not want to wait any longer`, {
    cause: signal?.reason,
    data: { url: where },
  });
}

function timedOut({ where, deadlineMs }: Exchange, received: number | undefined): SkillwireError {
  const state = received === undefined ? 'there was no answer' : `only ${received} bytes of the answer had come`;
  return new SkillwireError(
    'TIMED_OUT',
    `cannot use "${where}": after ${deadlineMs} ms ${state}; try a longer timeout`,
    {
      data: { url: where, deadlineMs },
    },
  );
}

function tooSlow(where: string, bytesPerSecond: number): SkillwireError {
  return new SkillwireError(
    'TIMED_OUT',
    `cannot use "${where}": its answer comes slower than ${bytesPerSecond} bytes per second`,
    { data: { url: where } },
  );
}

function truncated(where: string, received: number, announced: number | undefined): SkillwireError {
  const of = announced === undefined ? '' : ` of ${announced}`;
  return new SkillwireError(
    'UNREACHABLE',
    `cannot use "${where}": the connection broke after ${received}${of} bytes of the answer`,
    { data: { url: where, reason: 'TRUNCATED' } },
  );
}

function tooLarge(where: string, maxBytes: number): SkillwireError {
  return new SkillwireError('LIMIT_EXCEEDED', `cannot use "${where}": its answer has more than ${maxBytes} bytes`, {
    data: { url: where, maxBytes },
  });
}
