/** A host for one test, with someone who decides and remembers what was asked. */
import { onTestFinished } from 'vitest';
import type { ApprovalRequest, Decision } from '../../../src/host/approve/decide.ts';
import { createHost } from '../../../src/host/create-host.ts';
import type { Host, HostOptions, HostOrigin } from '../../../src/host/host.ts';
import { mcpServerSource } from '../../../src/origins/mcp-server-source.ts';
import { memoryStore } from '../../../src/store/memory-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { type MisbehavingHttpServer, misbehavingServer } from '../../../src/testing/misbehaving/misbehaving-server.ts';

export interface OpenedHost {
  readonly host: Host;
  readonly store: Store;
  readonly questions: ApprovalRequest[];
}

export type Answer = Decision | ((request: ApprovalRequest) => Decision | Promise<Decision>);

export interface OpenOptions extends Omit<HostOptions, 'origins' | 'store' | 'decide'> {
  readonly store?: Store;
  /** Default: everything is allowed. Null: nobody can be asked. */
  readonly answer?: Answer | null;
}

export async function openedHost(origins: readonly HostOrigin[], options: OpenOptions = {}): Promise<OpenedHost> {
  const { store = memoryStore(), answer = { allow: true }, ...rest } = options;
  const questions: ApprovalRequest[] = [];
  const decide = async (request: ApprovalRequest): Promise<Decision> => {
    questions.push(request);
    return typeof answer === 'function' ? answer(request) : (answer ?? { allow: false });
  };
  const host = await createHost({ ...rest, store, origins, ...(answer === null ? {} : { decide }) });
  onTestFinished(() => host.close());
  return { host, store, questions };
}

export interface MisbehavingOrigin extends HostOrigin {
  readonly server: MisbehavingHttpServer;
  /** Methods that were asked of the server so far. */
  methods(): string[];
}

/** A real server on loopback that does one thing wrong, or nothing. */
export async function misbehavingOrigin(
  behavior?: string,
  label = 'shop',
  timeoutMs = 5_000,
): Promise<MisbehavingOrigin> {
  const server = await misbehavingServer(behavior === undefined ? {} : { behavior });
  const source = mcpServerSource({ url: server.url, timeoutMs });
  onTestFinished(async () => {
    await source.close();
    await server.close();
  });
  return { label, source, local: false, server, methods: () => server.requests.map(({ method }) => method) };
}

/** Of the base server: a skill with a file `templates/letter.md`. */
export const refunds = 'skill://refunds/SKILL.md';
