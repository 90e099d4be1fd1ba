/** Where a source finds live runtimes and how it asks them: the registry of this process, or the tools of another MDP server. */
import type { CallOutcome, RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import type { Finding } from '../../skill/finding.ts';
import type { SourceContext } from '../skill-source.ts';
import type { LiveRuntime } from './runtime-skills.ts';

export interface RuntimeDirectory {
  /** For messages. */
  readonly name: string;
  /** All of them, in the order of their registration. */
  runtimes(context: SourceContext): Promise<readonly LiveRuntime[]>;
  /** One of them, where that can be told without looking at all. */
  runtime?(id: string): LiveRuntime | undefined;
  /** What was wrong with the last listing. */
  findings?(): readonly Finding[];
  /** The text at a path. What a runtime declared about it has been checked. */
  call(clientId: string, path: string, context: SourceContext): Promise<CallOutcome>;
  /** Tells the ids of runtimes that came, changed or went. Absent where nobody tells. */
  watch?(listener: (changed: ReadonlySet<string>) => void): () => void;
  close?(): Promise<void>;
}

/** Closing the source leaves the registry open: it belongs to who made it. */
export function registryDirectory(registry: RuntimeRegistry): RuntimeDirectory {
  return {
    name: 'live runtimes',
    runtimes: async () => registry.clients(),
    runtime: (id) => registry.client(id),
    call: (clientId, path, { signal }) => registry.call({ clientId, method: 'GET', path }, signal),
    watch: (listener) => registry.watch(listener),
  };
}
