/**
 * The pinned skills of a hub: those that a command with the same state pinned from one of the hub's own addresses. The hub may listen on
 * any free port, so its addresses are known only once it listens.
 */
import { defaultRuntimeLabel } from '../sources/mdp-runtime/mdp-runtime-source.ts';
import type { Store } from '../store/store.ts';
import type { PinnedSkills } from '../transforms/pinned-skill.ts';
import { pinnedInStore, type StoredPinned, writePinned } from '../transforms/stored-pins.ts';

/** Where a hub listens. */
export interface HubAddresses {
  readonly mcp?: string;
  readonly mdp?: { readonly url: string };
}

export interface PinnedForHub {
  readonly pinned: PinnedSkills;
  /** Nothing is served pinned before. Called as early as the addresses are known, so that nothing is live for a moment. */
  listens(addresses: HubAddresses): void;
}

export function pinnedForHub(store: Store): PinnedForHub {
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
    },
    listens({ mcp, mdp }) {
      hub = mdp === undefined ? undefined : `mdp:${mdp.url}`;
      own = new Set([
        ...sameMachine(mdp?.url).map((url) => `mdp:${url}`),
        ...sameMachine(mcp).map((url) => `mcp:${url}`),
      ]);
    },
  };
}

/** The address in each way in which this machine can be named. */
function sameMachine(address: string | undefined): readonly string[] {
  if (address === undefined) return [];
  const url = new URL(address);
  return [url.host, `127.0.0.1:${url.port}`, `localhost:${url.port}`, `[::1]:${url.port}`].map((host) => {
    const path = url.pathname === '/' ? '' : url.pathname;
    return `${url.protocol}//${host}${path}`;
  });
}
