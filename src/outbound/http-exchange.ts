/**
 * Sends one request over node:http or node:https and reads its response. Bodies are counted as they arrive. They are aborted above the size
 * limit, below the least rate, or at the deadline. A body that ends early is an error (sec:N-7, N-8). Knows nothing of redirects and
 * retries.
 */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type ErrorCode, reasonOf, SkillwireError } from '../errors.ts';
import { shortText } from '../skill/display-text.ts';
import type { HttpAnswer, HttpRequest, HttpStreamAnswer } from './http-messages.ts';

/** The slowest accepted body, measured after a grace period. */
export interface LeastRate {
  readonly bytesPerSecond: number;
  readonly graceMs: number;
}

export interface Exchange extends Pick<HttpRequest, 'body' | 'signal' | 'until'> {
  readonly secure: boolean;
  readonly options: RequestOptions;
  /** For messages. */
  readonly where: string;
  readonly maxBytes: number;
  /** The deadline, by the clock of `performance.now()`. */
  readonly endsAt: number;
  readonly deadlineMs: number;
  readonly leastRate: LeastRate;
}

export type RawAnswer = Omit<HttpAnswer, 'url'>;

export interface RawStream extends Omit<HttpStreamAnswer, 'url'> {
  /** Resolves when the connection is no longer used, for whatever reason. */
  readonly done: Promise<void>;
}

const noBody = new Uint8Array(0);

export function exchange(job: Exchange): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    run(job, {
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

/** Resolves as soon as the headers arrive. */
export function exchangeStream(job: Exchange): Promise<RawStream> {
  return new Promise((resolve, reject) => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    let finish: () => void = () => {};
    const done = new Promise<void>((settle) => {
      finish = settle;
    });
    run(job, {
      onAnswer(message, { pause, abort }) {
        const body = new ReadableStream<Uint8Array>({
          start: (own) => {
            controller = own;
          },
          pull: () => pause(false),
          cancel: abort,
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
  /** Stops and resumes reading. The least rate does not apply to a paused body. */
  pause(paused: boolean): void;
  abort(): void;
}

interface Steps {
  onAnswer(message: IncomingMessage, control: BodyControl): void;
  onPart(part: Buffer, control: BodyControl): void;
  onEnd(message: IncomingMessage): void;
  onFailure(error: SkillwireError): void;
}

function run(job: Exchange, steps: Steps): void {
  const { where, signal, maxBytes, until } = job;
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  let received = 0;
  let announced: number | undefined;
  /** When the headers arrived; 0 before. */
  let bodyBegan = 0;
  /** True while the least rate does not apply: the body is paused or is an event stream. */
  let isRateExempt = false;

  const request = (job.secure ? httpsRequest : httpRequest)(job.options, onAnswer);
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
    // Without the error: it is reported below, and a freed socket has no listener for it.
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
    const left = job.endsAt - now;
    const reading = bodyBegan === 0 ? 0 : now - bodyBegan;
    const { graceMs, bytesPerSecond } = job.leastRate;
    if (left <= 0) {
      fail(timedOut(job, bodyBegan === 0 ? undefined : received));
    } else if (!isRateExempt && reading >= graceMs && received < (reading / 1000) * bytesPerSecond) {
      fail(tooSlow(where, bytesPerSecond));
    } else {
      const nextLook = reading < graceMs ? graceMs - reading : graceMs / 10;
      timer = setTimeout(watchClock, Math.min(left, nextLook) + 1);
    }
  }

  function onAnswer(message: IncomingMessage): void {
    const { headers } = message;
    const fault = headerFault(job, headers);
    if (fault !== undefined) {
      fail(fault);
      return;
    }
    bodyBegan = performance.now();
    announced = announcedBytes(headers);
    const isEvents = headers['content-type']?.startsWith('text/event-stream') === true;
    isRateExempt = isEvents;
    const control: BodyControl = {
      pause(paused) {
        if (paused) message.pause();
        else if (message.isPaused()) message.resume();
        isRateExempt = isEvents || paused;
      },
      abort: () => fail(interrupted(where, undefined)),
    };
    message.on('data', (part: Buffer) => {
      if (over) return;
      received += part.length;
      if (received > maxBytes) return fail(tooLarge(where, maxBytes));
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
  if (!over) request.end(job.body);
}

function announcedBytes(headers: IncomingHttpHeaders): number | undefined {
  const length = Number(headers['content-length']);
  return Number.isSafeInteger(length) ? length : undefined;
}

/** Checks the headers before a byte of the body is read. */
function headerFault({ where, maxBytes }: Exchange, headers: IncomingHttpHeaders): SkillwireError | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return new SkillwireError(
      'BAD_ANSWER',
      `Cannot use "${where}": it sent an unrequested content encoding. Report this to its operator.`,
      {
        data: { url: where },
      },
    );
  return (announcedBytes(headers) ?? 0) > maxBytes ? tooLarge(where, maxBytes) : undefined;
}

export function interrupted(where: string, signal: AbortSignal | undefined): SkillwireError {
  return new SkillwireError('INTERRUPTED', `Request to "${where}" canceled by the caller.`, {
    cause: signal?.reason,
    data: { url: where },
  });
}

function timedOut({ where, deadlineMs }: Exchange, received: number | undefined): SkillwireError {
  const state = received === undefined ? 'no response' : `only ${received} bytes of the response`;
  return new SkillwireError(
    'TIMED_OUT',
    `"${where}" timed out: ${state} within ${deadlineMs} ms. Try a longer timeout.`,
    { data: { url: where, deadlineMs } },
  );
}

function tooSlow(where: string, bytesPerSecond: number): SkillwireError {
  return new SkillwireError(
    'TIMED_OUT',
    `Cannot use "${where}": the response is slower than ${bytesPerSecond} bytes per second. Try again later.`,
    { data: { url: where } },
  );
}

function truncated(where: string, received: number, announced: number | undefined): SkillwireError {
  const of = announced === undefined ? '' : ` of ${announced}`;
  return new SkillwireError(
    'UNREACHABLE',
    `Cannot use "${where}": the connection closed after ${received}${of} bytes of the response. Try again.`,
    { data: { url: where, reason: 'TRUNCATED' } },
  );
}

function tooLarge(where: string, maxBytes: number): SkillwireError {
  return new SkillwireError('LIMIT_EXCEEDED', `Cannot use "${where}": the response is larger than ${maxBytes} bytes.`, {
    data: { url: where, maxBytes },
  });
}

type ConnectionFailure = readonly [code: ErrorCode, reason: string];

const closed: ConnectionFailure = ['UNREACHABLE', 'the connection closed.'];
const failures: Readonly<Record<string, ConnectionFailure>> = {
  ECONNREFUSED: ['UNREACHABLE', 'the connection was refused. Check that the server is running and the port is right.'],
  ENOTFOUND: ['UNREACHABLE', 'there is no such host name. Check the spelling.'],
  EAI_AGAIN: ['UNREACHABLE', 'the host name lookup failed. Try again later.'],
  EHOSTUNREACH: ['UNREACHABLE', 'there is no route to the host.'],
  ENETUNREACH: ['UNREACHABLE', 'there is no route to its network.'],
  ECONNRESET: closed,
  EPIPE: closed,
  ECONNABORTED: closed,
  ETIMEDOUT: ['TIMED_OUT', 'the host did not respond.'],
};

const certificate =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;

/** `where` is the address for the message, without secrets. */
export function connectionError(where: string, error: unknown): SkillwireError {
  if (error instanceof SkillwireError) return error;
  const code = String((error as { code?: unknown } | undefined)?.code ?? '');
  const message = reasonOf(error);
  const [outcome, reason] = failures[code] ?? describe(code, message);
  return new SkillwireError(outcome, `Cannot reach "${where}": ${reason}`, {
    cause: error,
    data: { url: where, reason: code },
  });
}

function describe(code: string, message: string): ConnectionFailure {
  if (certificate.test(code)) return ['UNREACHABLE', `its certificate is not trusted (${shortText(message)}).`];
  if (/^(?:ERR_SSL|ERR_TLS|EPROTO)/.test(code))
    return ['UNREACHABLE', `the secure connection failed (${shortText(message)}). Check that it serves https.`];
  if (code.startsWith('HPE_')) return ['BAD_ANSWER', `the response is not HTTP (${shortText(message)}).`];
  return ['UNREACHABLE', `${shortText(message)}.`];
}
