/**
 * Requests over stdio that need no SDK. Which revision a connection speaks is decided by the SDK from its first messages and
 * then stays; so it answers until it has answered a request of the kind that is recognised here, as one of revision
 * 2026-07-28. From then on it cannot answer such a request in another way than this.
 */
import type { Catalog } from '../catalog/catalog.ts';
import { createHotAnswers } from '../surfaces/mcp/hot-answers.ts';
import { hotCall } from '../surfaces/mcp/hot-call.ts';
import type { SkillsServerOptions } from '../surfaces/mcp/server-options.ts';
import type { StdioShortcut } from './stdio-transport.ts';

export interface StdioShortcutHandle extends StdioShortcut {
  /** Is told the era of each server that the SDK has made for this connection. */
  serverMade(era: 'modern' | 'legacy'): void;
}

export function createStdioShortcut(catalog: Catalog, options: SkillsServerOptions): StdioShortcutHandle {
  const hot = createHotAnswers(catalog, options);
  let era: 'modern' | 'legacy' | undefined;
  let settled = false;
  /** The request whose answer settles the revision. A discovery does not: the client may go on in another one. */
  let waitingFor: string | number | undefined;
  return {
    serverMade(made) {
      era = made;
    },
    take(message) {
      if (era === 'legacy') return undefined;
      const call = hotCall(message);
      // What a connection was told about the server at its beginning stays as it was; the SDK knows.
      if (call === undefined || call.method === 'server/discover') return undefined;
      if (settled) return (signal) => hot.answer(call, { signal, clientCapabilities: call.clientCapabilities });
      waitingFor = call.id;
      return undefined;
    },
    responded(id, isResult) {
      if (settled || id !== waitingFor) return;
      waitingFor = undefined;
      settled = isResult && era === 'modern';
    },
  };
}
