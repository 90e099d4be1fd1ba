/** `skillwire/runtime` on Node. It uses the WebSocket of the library `ws`, because Node 20 has none. */
import { WebSocket } from 'ws';
import { createRuntime as createAnyRuntime, type Runtime } from './runtime.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import type { SocketClass } from './web-socket-wire.ts';

export type { MdpAuth } from '../dialects/mdp/messages.ts';
export type { ErrorCode } from '../errors.ts';
export { SkillwireError } from '../errors.ts';
export type { ExposeOptions, SkillCall, SkillRequest, SkillResolver } from './exposures.ts';
export type { ConnectOptions, Runtime } from './runtime.ts';
export type { RuntimeOptions, RuntimeState, RuntimeStatus } from './runtime-options.ts';

/** Creates a runtime; `connect()` connects it to its hub. */
export function createRuntime(options: RuntimeOptions): Runtime {
  return createAnyRuntime({
    ...options,
    WebSocket: options.WebSocket ?? globalThis.WebSocket ?? (WebSocket as SocketClass),
  });
}
