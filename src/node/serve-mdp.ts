/**
 * Live runtimes beside a catalog: their registry, the routes of the Model Drive Protocol and its WebSockets, on the server's own
 * port or on one of their own. If others reach the server, a runtime must have a token, whatever readers are allowed.
 */
import type { Catalog } from '../catalog/catalog.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { createRuntimeRegistry, type RuntimeBound } from '../runtimes/create-runtime-registry.ts';
import { type ReadableRegistry, registryView } from '../runtimes/registry-view.ts';
import type { CallOutcome, RuntimeRegistry } from '../runtimes/runtime-registry.ts';
import type { Authenticate } from '../runtimes/session.ts';
import type { Serving } from '../serving/serving.ts';
import { defaultRuntimeLabel } from '../sources/mdp-runtime/mdp-runtime-source.ts';
import { runtimeSkillPath } from '../sources/mdp-runtime/runtime-skills.ts';
import { createMdpHub } from '../surfaces/mdp/mdp-hub.ts';
import { catalogClientId, type SkillRouteOptions } from '../surfaces/mdp/skill-routes.ts';
import type { PinRule } from '../transforms/pin-rules.ts';
import type { PinnedSkills } from '../transforms/pinned-skill.ts';
import { isLoopback, parseHost, urlHost } from './http/host-names.ts';
import { type HttpServer, type ListenOptions, listen } from './http/http-server.ts';
import { createMdpSockets, type SocketBound } from './http/mdp-sockets.ts';
import { createTokenCheck } from './http/mdp-tokens.ts';
import type { ServeHttpOptions } from './serve-http-options.ts';

/** How live programs connect: tokens, an address of their own, bounds. */
export interface ServeMdpOptions extends SkillRouteOptions {
  /** Where runtimes connect; the address of `http` where it is absent. */
  readonly listen?: ServeHttpOptions;
  /** Tokens that runtimes must show, by a name for each. Needed if others than this machine reach the server. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** First segment of the URIs of live skills. Default `mdp`. */
  readonly label?: string;
  /** Skills that are served in place of the live ones. */
  readonly pinned?: PinnedSkills;
  /** Live skills that are pinned as soon as they are seen. Needs `pinned` with `add()`. */
  readonly pin?: readonly PinRule[];
  /** Times and counts, where others than the usual ones are wanted: `{ callMs: 60_000 }`. */
  readonly bounds?: Partial<Record<RuntimeBound | SocketBound, number>>;
}

/** The registry with what it takes to be let in. */
export interface Runtimes {
  readonly registry: RuntimeRegistry;
  /** The same as readers may see it. */
  readonly readable: ReadableRegistry;
  /** First segment of the URIs of live skills. */
  readonly label: string;
  readonly options: ServeMdpOptions;
  readonly authenticate: Authenticate | undefined;
}

/** How others reach the server. */
export interface RuntimeSetup {
  /** The addresses of readers and of runtimes; the first is where runtimes connect. */
  readonly addresses: readonly Pick<ServeHttpOptions, 'host' | 'allowedHosts'>[];
  /** Whether readers need tokens. */
  readonly access: boolean;
}

/** Why a runtime needs a token, even one of this machine: others reach the server, directly or through a proxy. */
function whyTokens({ addresses, access }: RuntimeSetup): string | undefined {
  if (access) return 'readers need tokens here ("profiles" or "access" of the configuration)';
  for (const { host, allowedHosts = [] } of addresses) {
    if (!isLoopback(host)) return `everybody who reaches ${urlHost(host)} could register one`;
    const named = allowedHosts.find((name) => !isLoopback(parseHost(name)?.name ?? name));
    if (named !== undefined) return `--allowed-host "${named}" lets others reach the server`;
  }
  return undefined;
}

export function createRuntimes(options: ServeMdpOptions, setup: RuntimeSetup, log?: (line: string) => void): Runtimes {
  const { tokens = {} } = options;
  const guarded = Object.keys(tokens).length > 0;
  const why = guarded ? undefined : whyTokens(setup);
  if (why !== undefined)
    throw new SkillwireError(
      'ADDRESS_REFUSED',
      `cannot take runtimes without a token: ${why}. Name a token with --mdp-token-env, or leave --mdp out`,
      { data: { host: setup.addresses[0]?.host } },
    );
  const authenticate = guarded ? createTokenCheck(tokens) : undefined;
  const registry = createRuntimeRegistry({ reservedIds: [catalogClientId], bounds: options.bounds, authenticate, log });
  return { registry, readable: registry, label: options.label ?? defaultRuntimeLabel, options, authenticate };
}

/** Readers reach a runtime past the catalog too, so what may be called there is decided here. */
export function policedRuntimes(runtimes: Runtimes, serving: Pick<Serving, 'allowsLive' | 'acceptsLive'>): Runtimes {
  const { registry, label } = runtimes;
  const allows = (clientId: string, path: string): boolean => {
    const place = runtimeSkillPath(label, clientId, path);
    return place !== undefined && serving.allowsLive(label, place);
  };
  const accepts = (path: string, outcome: CallOutcome): boolean =>
    serving.acceptsLive(path, outcome.ok ? outcome.data : outcome.error);
  return { ...runtimes, readable: registryView(registry, allows, accepts) };
}

export interface MdpServing extends Required<Pick<ListenOptions, 'upgrade'>> {
  /** Undefined where the request is not for runtimes. */
  answer(request: Request, url: URL): Promise<Response> | undefined;
  /** The same for the routes on which runtimes connect, and nothing of what they expose. */
  answerRuntime(request: Request, url: URL): Promise<Response> | undefined;
  /** Ends all runtimes, in an orderly way. */
  close(): Promise<void>;
}

/** What a server on this host needs to take runtimes. */
export function serveRuntimes(runtimes: Runtimes, catalog: Catalog, host: string): MdpServing {
  const { registry, readable, options, authenticate } = runtimes;
  const hub = createMdpHub(registry, catalog, { ...options, readable, authenticate });
  const sockets = createMdpSockets({
    registry,
    hub,
    bounds: options.bounds,
    ...(isLoopback(host) ? {} : { perAddress: limits.runtimes.socketsPerAddress }),
  });
  return {
    answer: (request, url) => hub.answer(request, url),
    answerRuntime: (request, url) => hub.answerRuntime(request, url),
    upgrade: (message, socket, head, from) => sockets.upgrade(message, socket, head, from),
    async close() {
      await registry.close();
      await sockets.close();
    },
  };
}

/** A server for runtimes alone. */
export async function listenForRuntimes(
  serving: MdpServing,
  address: ServeHttpOptions,
  onerror: (error: Error) => void,
): Promise<HttpServer> {
  return listen({
    ...address,
    option: '--mdp-port',
    routes: async (request) => {
      const answer = serving.answer(request, new URL(request.url));
      return answer ?? new Response('not found; runtimes connect here\n', { status: 404 });
    },
    upgrade: serving.upgrade,
    onerror,
  });
}
