/** A runtime on a registry without a socket: it sends what a test gives it, and answers from its table. */

import type { PathDescriptor, ServerMessage, SkillDescriptor } from '../../src/dialects/mdp/messages.ts';
import { declareStatic } from '../../src/dialects/mdp/static-declaration.ts';
import type { RuntimeRegistry, RuntimeSession } from '../../src/runtimes/runtime-registry.ts';
import { sha256Digest } from '../../src/skill/digest.ts';

export interface LiveClient {
  /** By path; undefined leaves a call without an answer. */
  readonly answers: Map<string, unknown>;
  readonly calls: string[];
  readonly session: RuntimeSession;
  update(paths: readonly PathDescriptor[]): void;
  end(): void;
}

export function skillPath(path: string, more: Partial<SkillDescriptor> = {}): SkillDescriptor {
  return { type: 'skill', path, description: `About ${path}`, contentType: 'text/markdown', ...more };
}

export async function staticPath(path: string, text: string): Promise<SkillDescriptor> {
  const bytes = new TextEncoder().encode(text);
  return skillPath(path, { _meta: declareStatic({ digest: await sha256Digest(bytes), size: bytes.length }) });
}

export function connectClient(
  registry: RuntimeRegistry,
  id: string,
  paths: readonly PathDescriptor[],
  answers: Readonly<Record<string, unknown>> = {},
): LiveClient {
  const table = new Map(Object.entries(answers));
  const calls: string[] = [];
  const session = registry.open({
    mode: 'ws',
    secure: false,
    send(message: ServerMessage) {
      if (message.type !== 'callClient') return;
      calls.push(message.path);
      const answer = table.get(message.path);
      if (answer === undefined) return;
      const { requestId } = message;
      const result =
        answer instanceof Error
          ? ({ ok: false, error: { code: 'handler_error', message: answer.message } } as const)
          : ({ ok: true, data: answer } as const);
      queueMicrotask(() => session.receive({ type: 'callClientResult', requestId, ...result }));
    },
    close: () => session.ended(),
  });
  session.receive({ type: 'registerClient', client: { id, name: `Name of ${id}`, paths } });
  return {
    answers: table,
    calls,
    session,
    update: (next) => session.receive({ type: 'updateClientCatalog', clientId: id, paths: next }),
    end: () => session.ended(),
  };
}
