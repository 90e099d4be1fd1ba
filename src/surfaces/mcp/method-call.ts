/** Adapts requests of the SDK 2.x: the caller, the revision, and how answers and errors go back. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  type Server,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Era } from '../../dialects/era.ts';
import type { SourceContext } from '../../sources/skill-source.ts';
import type { MethodCall } from './cache-fields.ts';
import { legacyNotFoundCode, type ReportError, type WireError, wireError } from './method-errors.ts';
import { principalOf } from './principal.ts';

const firstModernRevision = '2026-07-28';

/** A session without `initialize`, as on a stateless server, is legacy: modern sessions always have a revision. */
export function eraOf(server: Pick<Server, 'getNegotiatedProtocolVersion'>): Era {
  return (server.getNegotiatedProtocolVersion() ?? '') >= firstModernRevision ? 'modern' : 'legacy';
}

export function methodCall(server: Server, ctx: ServerContext): MethodCall {
  const principal = principalOf(ctx.http?.authInfo);
  const envelope: Readonly<Record<string, unknown>> | undefined = ctx.mcpReq.envelope;
  const declared = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()) as
    | SourceContext['clientCapabilities']
    | undefined;
  const revision = server.getNegotiatedProtocolVersion();
  return {
    era: eraOf(server),
    revision,
    context: { signal: ctx.mcpReq.signal, principal, clientCapabilities: declared },
  };
}

export type MethodHandler<P> = (params: P, call: MethodCall) => unknown;

/** Turns a transport-independent answer into a handler for the SDK. Errors become protocol errors. */
export function answerWith<P>(
  server: Server,
  report: ReportError | undefined,
  answer: MethodHandler<P>,
): (params: P, ctx: ServerContext) => Promise<Record<string, unknown>> {
  return async (params, ctx) => {
    const call = methodCall(server, ctx);
    try {
      return (await answer(params, call)) as Record<string, unknown>;
    } catch (error) {
      throw toProtocolError(wireError(error, call, report), server.transport);
    }
  };
}

type Message = Parameters<Transport['send']>[0];

/**
 * The data of errors that need the old code. The SDK 2.x rewrites -32002 (resource not found) to -32602 in every revision, so the old code
 * is restored when the message is sent. The SDK passes `data` through unchanged, so it identifies these errors.
 */
const notFoundData = new WeakSet<object>();
const restoring = new WeakSet<Transport>();

function restored(message: Message): Message {
  if (!('error' in message)) return message;
  const { data } = message.error;
  if (typeof data !== 'object' || data === null || !notFoundData.has(data)) return message;
  return { ...message, error: { ...message.error, code: legacyNotFoundCode } };
}

function restoreNotFoundCode(transport: Transport): void {
  if (restoring.has(transport)) return;
  restoring.add(transport);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(restored(message), options);
}

/** `transport` will send the error. */
function toProtocolError({ code, message, data }: WireError, transport: Transport | undefined): ProtocolError {
  if (code === legacyNotFoundCode && data !== undefined && transport !== undefined) {
    notFoundData.add(data);
    restoreNotFoundCode(transport);
  }
  return new ProtocolError(code, message, data);
}
