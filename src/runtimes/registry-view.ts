/**
 * A registry as one reader may see it: only the allowed paths and their runtimes. A runtime without an allowed path
 * looks disconnected, and a forbidden path looks missing. The answers do not differ from real ones, and no runtime is
 * called for them. Runtimes connect to the registry itself, never to a view.
 */
import { hubFailure } from './pending-calls.ts';
import type { CallOutcome, RuntimeClient, RuntimeRegistry } from './runtime-registry.ts';

/** A registry for readers. */
export type ReadableRegistry = Pick<RuntimeRegistry, 'startedAt' | 'clients' | 'client' | 'call'>;

/** A connected runtime as operators see it. */
export interface OperatedRuntime extends RuntimeClient {
  /** Skills that a policy, a denial or a person keeps from readers. `paths` does not contain them. Absent if there are none. */
  readonly hidden?: number;
}

/** @param accepts whether an answer of a runtime may be passed on; if not, the path looks missing */
export function registryView(
  registry: ReadableRegistry,
  allows: (clientId: string, path: string) => boolean,
  accepts: (path: string, outcome: CallOutcome) => boolean = () => true,
): ReadableRegistry {
  function seen(client: RuntimeClient): RuntimeClient | undefined {
    const paths = client.paths.filter(({ path }) => allows(client.id, path));
    return paths.length === 0 ? undefined : { ...client, paths };
  }

  function client(id: string): RuntimeClient | undefined {
    const found = registry.client(id);
    return found === undefined ? undefined : seen(found);
  }

  return {
    startedAt: registry.startedAt,
    clients: () => registry.clients().flatMap((one) => seen(one) ?? []),
    client,
    async call(call, signal) {
      const { clientId, path, method } = call;
      if (client(clientId) === undefined)
        return hubFailure('not-connected', 'not_ready', `Client "${clientId}" is not connected`);
      const outcome = allows(clientId, path) ? await registry.call(call, signal) : undefined;
      if (outcome !== undefined && accepts(path, outcome)) return outcome;
      const message = `Path "${path}" with method "${method}" was not found on client "${clientId}"`;
      return hubFailure('not-found', 'not_found', message);
    },
  };
}
