/** Requests that the SDK 2.x handed over: who asks, on which revision, and how an answer or a refusal goes back. */
import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server';
import type { SourceContext } from '../../sources/skill-source.ts';
import type { Era, MethodCall } from './cache-fields.ts';
import { type ReportError, wireError } from './method-errors.ts';
import { principalOf } from './principal.ts';
import { toProtocolError } from './protocol-errors.ts';

const firstModernRevision = '2026-07-28';

/** A session without `initialize`, as a stateless server has it, counts as legacy: no modern one lacks its revision. */
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

export type Answer<P> = (params: P, call: MethodCall) => unknown;

/** A handler for the SDK from an answer that knows none; errors take the form in which they may leave the server. */
export function answerWith<P>(
  server: Server,
  report: ReportError | undefined,
  answer: Answer<P>,
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
