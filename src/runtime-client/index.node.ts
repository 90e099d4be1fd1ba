/** `skillwire/runtime` on Node, whose version 20 has no WebSocket of its own: that of the library `ws` is used instead. */
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

/** Makes a runtime; `connect()` brings it to its hub. */
export function createRuntime(options: RuntimeOptions): Runtime {
  return createAnyRuntime({
    ...options,
    WebSocket: options.WebSocket ?? globalThis.WebSocket ?? (WebSocket as SocketClass),
  });
}
