/**
 * Answers stdio requests without the SDK. The first messages of a connection decide its revision.
 *
 * Before the SDK is loaded, requests of revision 2026-07-28 are answered here. When it is loaded, it gets those that decide the revision, and
 * continues as if it had answered them. If the SDK saw the first messages, it keeps the connection until it has answered one request of the
 * kind recognized here. From then on both would give the same answers.
 */
import type { MaybePromise } from '../../async/maybe-promise.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createHotAnswers } from '../../surfaces/mcp/fast-path/hot-answers.ts';
import { type HotCall, hotCall } from '../../surfaces/mcp/fast-path/hot-call.ts';
import type { SkillsServerOptions } from '../../surfaces/mcp/server-options.ts';
import type { SkillMethods } from '../../surfaces/mcp/skill-methods.ts';
import type { PlainBody } from '../../surfaces/plain-answer.ts';
import type { StdioShortcut } from './stdio-transport.ts';

export interface StdioShortcutHandle extends StdioShortcut {
  /** Called when the SDK is loaded. Returns the requests that it must see first. */
  sdkLoaded(): readonly unknown[];
  /** Called with the era of each server that the SDK creates for this connection. */
  serverMade(era: 'modern' | 'legacy'): void;
}

export function createStdioShortcut(
  catalog: Catalog,
  options: SkillsServerOptions,
  methods?: SkillMethods,
): StdioShortcutHandle {
  const hot = createHotAnswers(catalog, options, methods);
  // Cached JSON contains URIs with the default scheme.
  const usualScheme = options.scheme === undefined || options.scheme === 'skill';
  let loaded = false;
  let era: 'modern' | 'legacy' | undefined;
  let settled = false;
  /** The request whose answer decides the revision. A discovery does not: the client may continue with another one. */
  let waitingFor: string | number | undefined;
  /** Answered without the SDK: a discovery, and the first other request. */
  let discovery: unknown;
  let opening: unknown;

  const answer =
    (call: HotCall) =>
    (signal: AbortSignal): MaybePromise<PlainBody> =>
      hot.answer(call, { signal, clientCapabilities: call.clientCapabilities });

  return {
    sdkLoaded() {
      loaded = true;
      return [discovery, opening].filter((request) => request !== undefined);
    },
    serverMade(made) {
      era = made;
    },
    take(message) {
      if (era === 'legacy' || !usualScheme) return undefined;
      const call = hotCall(message);
      if (call === undefined) return undefined;
      if (call.method === 'server/discover') {
        // The description of the server must not change within a connection. Only the SDK knows what it sent.
        if (loaded || discovery !== undefined || opening !== undefined) return undefined;
        discovery = message;
        return answer(call);
      }
      if (settled) return answer(call);
      if (loaded) {
        waitingFor = call.id;
        return undefined;
      }
      opening = message;
      settled = true;
      return answer(call);
    },
    responded(id, isResult) {
      if (settled || id !== waitingFor) return;
      waitingFor = undefined;
      settled = isResult && era === 'modern';
    },
  };
}
