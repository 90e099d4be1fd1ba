/** A hub on loopback with a catalog in memory, as `serve` makes it, and what tests ask of it. */

import { type ServeHandle, serve } from '../src/node/serve.ts';
import type { ServeMdpOptions } from '../src/node/serve-mdp.ts';
import { memorySource } from '../src/sources/memory.ts';
import { eventually } from './eventually.ts';

export interface Hub extends AsyncDisposable {
  readonly url: string;
  readonly ws: string;
  readonly handle: ServeHandle;
  readonly log: readonly string[];
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Waits until exactly these runtimes are registered. */
  registered(...ids: readonly string[]): Promise<void>;
}

export async function openHub(mdp: ServeMdpOptions = {}, host = '127.0.0.1', port = 0): Promise<Hub> {
  const log: string[] = [];
  const source = memorySource();
  source.add('team/pdf-tools', { description: 'Reads and writes PDF files' }, '# PDF\n');
  const handle = await serve({
    source,
    http: { host, port, allowUnauthenticatedRemote: host !== '127.0.0.1' },
    mdp,
    log: (line) => log.push(line),
  });
  const { url = '', mdp: served } = handle;
  if (served === undefined) throw new Error('the hub has no address for runtimes');
  const reachable = url.replace(/\/\/[^/]+:/, '//127.0.0.1:');
  return {
    url: reachable,
    ws: reachable.replace(/^http/, 'ws'),
    handle,
    log,
    get: (path, init) => fetch(`${reachable}${path}`, init),
    async registered(...ids) {
      await eventually(() => {
        const now = served.runtimes.clients().map(({ id }) => id);
        if (JSON.stringify(now.toSorted()) !== JSON.stringify(ids.toSorted()))
          throw new Error(`registered are ${now.join(', ') || 'none'}`);
      });
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
