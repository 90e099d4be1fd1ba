/**
 * The pinned skills of a hub: pins in the same state that were made from one of the hub's own addresses. The hub may listen on a free
 * port, so its addresses are known only when it listens.
 */
import { SkillwireError } from '../errors.ts';
import { defaultRuntimeLabel } from '../sources/mdp-runtime/mdp-runtime-source.ts';
import type { Store } from '../store/store.ts';
import type { PinnedSkills } from '../transforms/pinned-skill.ts';
import { removePin, storePin } from '../transforms/store-pin.ts';
import { pinnedInStore, readPinned, type StoredPinned, writePinned } from '../transforms/stored-pins.ts';

/** The addresses of a hub. */
export interface HubAddresses {
  readonly mcp?: string;
  readonly mdp?: { readonly url: string };
}

export function pinnedForHub(store: Store) {
  let own: ReadonlySet<string> = new Set();
  let hub: string | undefined;
  const belongs = ({ origin, entry }: StoredPinned): boolean =>
    own.has(origin) && entry.uri.startsWith(`skill://${defaultRuntimeLabel}/`);
  return {
    pinned: {
      ...pinnedInStore(store, belongs),
      async add(newPin) {
        if (hub !== undefined) await writePinned(store, { label: hub, origin: hub }, newPin);
      },
      async pin(source, uri, request) {
        if (hub === undefined) throw new SkillwireError('USAGE', 'Cannot pin yet: the server does not listen.');
        return storePin(store, source, uri, { label: hub, origin: hub }, request);
      },
      labels: () => own,
      async unpin(uri, user) {
        const all = (await readPinned(store)).filter(belongs);
        let removed = false;
        for (const { label, entry } of all)
          if (entry.uri === uri) removed = (await removePin(store, all, { label, uri, user })) || removed;
        return removed;
      },
    } satisfies PinnedSkills,
    /** Pins are served from this call on. Call it as soon as the addresses are known, so that no pinned skill is briefly live. */
    listens({ mcp, mdp }: HubAddresses): void {
      hub = mdp === undefined ? undefined : `mdp:${mdp.url}`;
      own = new Set([
        ...sameMachine(mdp?.url).map((url) => `mdp:${url}`),
        ...sameMachine(mcp).map((url) => `mcp:${url}`),
      ]);
    },
  };
}

/** The address with each host name of this machine. */
function sameMachine(address: string | undefined): readonly string[] {
  if (address === undefined) return [];
  const url = new URL(address);
  return [url.host, `127.0.0.1:${url.port}`, `localhost:${url.port}`, `[::1]:${url.port}`].map((host) => {
    const path = url.pathname === '/' ? '' : url.pathname;
    return `${url.protocol}//${host}${path}`;
  });
}
