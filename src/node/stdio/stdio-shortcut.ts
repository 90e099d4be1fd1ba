/**
 * Requests over stdio that need no SDK. Which revision a connection speaks is decided by its first messages and then stays.
 *
 * Before the SDK is loaded, requests in the form of revision 2026-07-28 are answered here; when it is, it is shown those of them
 * that decide the revision, so that it goes on as if it had answered them. A connection whose first messages it saw is left
 * to it until it has answered a request of the kind that is recognised here: from then on it cannot answer such a request
 * in another way than this.
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
  /** The SDK is loaded. Returns the requests that it has to be shown first. */
  sdkLoaded(): readonly unknown[];
  /** Is told the era of each server that the SDK has made for this connection. */
  serverMade(era: 'modern' | 'legacy'): void;
}

export function createStdioShortcut(
  catalog: Catalog,
  options: SkillsServerOptions,
  methods?: SkillMethods,
): StdioShortcutHandle {
  const hot = createHotAnswers(catalog, options, methods);
  // What is kept as JSON has the URIs of the usual one.
  const usualScheme = options.scheme === undefined || options.scheme === 'skill';
  let loaded = false;
  let era: 'modern' | 'legacy' | undefined;
  let settled = false;
  /** The request whose answer settles the revision. A discovery does not: the client may go on in another one. */
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
        // What a connection was told about the server at its beginning stays as it was; the SDK knows.
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
