/**
 * The client for a live program: it exposes skills at a hub (ours, or any server of the Model Drive Protocol 2.x) while
 * it runs. After a lost connection it reconnects, less often if the hub refuses, and never if another session took over
 * the id. Changes of the exposed skills are published automatically and in batches.
 */
import type { ServerMessage } from '../dialects/mdp/messages.ts';
import { reasonOf, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { createExposures, type ExposeOptions, type SkillResolver } from './exposures.ts';
import { authOf, describeClient, type RuntimeOptions, type RuntimeStatus, wireTo } from './runtime-options.ts';
import { closeCodes, createBackoff, type RuntimeWire, type WireEnd } from './wire.ts';

/** Options of `runtime.connect()`: a signal, and whether to keep trying. */
export interface ConnectOptions {
  /** Cancels the attempt. With `keepTrying`, it cancels all attempts up to the first success. */
  readonly signal?: AbortSignal;
  /** Retry until a hub answers, instead of failing after the first attempt. */
  readonly keepTrying?: boolean;
}

/** A running program that exposes skills to a hub. */
export interface Runtime {
  readonly status: RuntimeStatus;
  /**
   * Exposes a skill, or replaces the one with this path: a text that stays, or a function that makes one for each reader.
   *
   * @example
   * ```ts
   * runtime.expose('/workspace/review/skill.md', '# Review\n\nStart with the tests.');
   * runtime.expose('/cart/skill.md', { description: 'What is in the cart' }, ({ queries }) => `# Cart\n\n${list(queries)}`);
   * ```
   */
  expose(path: string, text: string): void;
  expose(path: string, options: ExposeOptions, content: string | SkillResolver): void;
  /** `false` if nothing is exposed there. */
  unexpose(path: string): boolean;
  /** Resolves when the skills are registered. From then on, the runtime reconnects until `close()`. */
  connect(options?: ConnectOptions): Promise<void>;
  /** Withdraws the skills and closes the connection. */
  close(): Promise<void>;
}

/** The state from one `connect()` to its end. */
interface Life {
  readonly aborted: AbortController;
  wire?: RuntimeWire | undefined;
  registered: boolean;
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * Creates a runtime; `connect()` connects it to its hub.
 *
 * @throws SkillwireError USAGE if the address, the id or the name is not valid
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  const client = describeClient(options);
  const openWire = wireTo(options);
  const exposures = createExposures();
  const backoff = createBackoff();
  let status: RuntimeStatus = { state: 'idle' };
  let life: Life | undefined;
  let dirty = false;
  let publishing: Promise<void> | undefined;

  function setStatus(next: RuntimeStatus): void {
    status = next;
    options.onStatus?.(next);
  }

  /** Sends the whole current catalog to the hub. Changes in quick succession are sent together. */
  function publish(): Promise<void> {
    dirty = true;
    publishing ??= publishAll().finally(() => {
      publishing = undefined;
    });
    return publishing;
  }

  async function publishAll(): Promise<void> {
    while (dirty) {
      dirty = false;
      await undefined;
      if (life?.wire === undefined) return;
      const paths = await exposures.publish();
      if (dirty || life?.wire === undefined) continue;
      if (life.registered) life.wire.send({ type: 'updateClientCatalog', clientId: client.id, paths });
      else life.wire.send({ type: 'registerClient', client: { ...client, paths }, ...authOf(options.auth) });
      life.registered = true;
    }
  }

  function receive(own: Life, message: ServerMessage): void {
    const { wire } = own;
    if (message.type === 'ping') wire?.send({ type: 'pong', timestamp: message.timestamp });
    if (message.type !== 'callClient' || message.clientId !== client.id) return;
    exposures.answer(message).then(
      (result) => wire?.send(result),
      (error: unknown) => options.onFault?.(`cannot answer a call: ${String(error)}`),
    );
  }

  async function open(own: Life): Promise<void> {
    setStatus({ state: 'connecting' });
    const { signal } = own.aborted;
    const wire = await openWire(
      {
        onMessage: (message) => receive(own, message),
        onFault: (fault) => options.onFault?.(fault),
        onEnd: (end) => ended(own, end),
      },
      signal,
    );
    if (signal.aborted) {
      await wire.close();
      throw signal.reason;
    }
    own.wire = wire;
    own.registered = false;
    await publish();
    if (own.wire !== wire) throw lost(options.url, status.reason);
    own.timer = setTimeout(backoff.settled, limits.runtimeClient.settledMs);
    setStatus({ state: 'connected' });
  }

  function ended(own: Life, { code, reason }: WireEnd): void {
    own.wire = undefined;
    clearTimeout(own.timer);
    if (life !== own) return;
    const explanation = reason === '' ? `the connection was closed with ${code}` : reason;
    if (code === closeCodes.replaced) {
      life = undefined;
      setStatus({ state: 'replaced', reason: explanation });
    } else retry(own, explanation, code === closeCodes.refused);
  }

  function retry(own: Life, reason: string, refused: boolean): void {
    const retryMs = backoff.next(refused);
    clearTimeout(own.timer);
    own.timer = setTimeout(() => {
      open(own).catch((error: unknown) => {
        if (life !== own || own.wire !== undefined || status.state !== 'connecting') return;
        retry(own, messageOf(error), error instanceof SkillwireError && error.code === 'NOT_AUTHORIZED');
      });
    }, retryMs);
    setStatus({ state: 'waiting', reason, retryMs, ...(refused ? { refused } : {}) });
  }

  async function connect({ signal, keepTrying = false }: ConnectOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    if (life !== undefined)
      throw new SkillwireError('USAGE', `Cannot connect: the runtime is ${status.state}. Call close() first.`);
    const own: Life = { aborted: new AbortController(), registered: false };
    life = own;
    const stop = (): void => own.aborted.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      for (;;) {
        try {
          return await open(own);
        } catch (error) {
          if (!keepTrying || own.aborted.signal.aborted || life !== own) throw error;
          clearTimeout(own.timer);
          const retryMs = backoff.next(error instanceof SkillwireError && error.code === 'NOT_AUTHORIZED');
          setStatus({ state: 'waiting', reason: messageOf(error), retryMs });
          await pause(retryMs, own.aborted.signal);
        }
      }
    } catch (error) {
      clearTimeout(own.timer);
      if (life === own) {
        life = undefined;
        setStatus({ state: 'idle', reason: messageOf(error) });
      }
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  return {
    get status() {
      return status;
    },
    expose(path: string, definition: string | ExposeOptions, content?: string | SkillResolver) {
      exposures.set(path, definition, content);
      if (life?.wire !== undefined) void publish();
    },
    unexpose(path) {
      const existed = exposures.delete(path);
      if (existed && life?.wire !== undefined) void publish();
      return existed;
    },
    connect,
    async close() {
      const own = life;
      life = undefined;
      if (own !== undefined) {
        clearTimeout(own.timer);
        const { wire } = own;
        own.aborted.abort(new SkillwireError('CLOSED', 'The runtime was closed. Create a new one.'));
        if (own.registered) wire?.send({ type: 'unregisterClient', clientId: client.id });
        await wire?.close();
      }
      setStatus({ state: 'closed' });
    },
  };
}

function lost(url: string, reason = 'it was closed'): SkillwireError {
  return new SkillwireError(
    'UNREACHABLE',
    `The connection to "${url}" was lost at once: ${reason}. Try again, or set keepTrying.`,
    { data: { url } },
  );
}

function messageOf(error: unknown): string {
  return reasonOf(error);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
