/**
 * Live runtimes: their registry, the routes of the Model Drive Protocol and its WebSockets, on the server's port or a separate one. If
 * other machines can reach the server, runtimes need a token, even if readers do not.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Catalog } from '../catalog/catalog.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { createRuntimeRegistry, type RuntimeBound } from '../runtimes/create-runtime-registry.ts';
import { type OperatedRuntime, type ReadableRegistry, registryView } from '../runtimes/registry-view.ts';
import type { CallOutcome, RuntimeRegistry } from '../runtimes/runtime-registry.ts';
import type { Authenticate } from '../runtimes/session.ts';
import type { Serving } from '../serving/serving.ts';
import { skillFileName } from '../skill/entry.ts';
import { skillFileUri } from '../skill/skill-uri.ts';
import { defaultRuntimeLabel } from '../sources/mdp-runtime/mdp-runtime-source.ts';
import { runtimeSkillPath } from '../sources/mdp-runtime/runtime-skills.ts';
import { createMdpHub } from '../surfaces/mdp/mdp-hub.ts';
import { catalogClientId, type SkillRouteOptions } from '../surfaces/mdp/skill-routes.ts';
import { tokenOf } from '../surfaces/mdp/transport-auth.ts';
import type { PinRule } from '../transforms/pin-rules.ts';
import type { PinnedSkills } from '../transforms/pinned-skill.ts';
import type { ServeHttpOptions } from './http/host-names.ts';
import { isLoopback, parseHost, urlHost } from './http/host-names.ts';
import { type HttpServer, type ListenOptions, listen } from './http/http-server.ts';
import { createMdpSockets, type SocketBound } from './http/mdp-sockets.ts';

/** How live runtimes connect: tokens, a separate address, limits. */
export interface ServeMdpOptions extends SkillRouteOptions {
  /** The address for runtimes. Default: the address of `http`. */
  readonly listen?: ServeHttpOptions;
  /** Tokens for runtimes, by name. Required if other machines can reach the server. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** First segment of the URIs of live skills. Default `mdp`. */
  readonly label?: string;
  /** Pinned skills, served instead of the live ones. */
  readonly pinned?: PinnedSkills;
  /** Live skills to pin as soon as they appear. Needs `pinned` with `add()`. */
  readonly pin?: readonly PinRule[];
  /** Overrides of limits, for example `{ callMs: 60_000 }`. */
  readonly bounds?: Partial<Record<RuntimeBound | SocketBound, number>>;
}

/** The registry and its authentication. */
export interface Runtimes {
  readonly registry: RuntimeRegistry;
  /** The part that readers may see. */
  readonly readable: ReadableRegistry;
  /** All connected runtimes, also those whose skills readers may not see. For operators only. */
  readonly operated: () => readonly OperatedRuntime[];
  /** First segment of the URIs of live skills. */
  readonly label: string;
  readonly options: ServeMdpOptions;
  readonly authenticate: Authenticate | undefined;
}

/** How clients reach the server. */
export interface RuntimeSetup {
  /** The addresses of readers and of runtimes; the first is where runtimes connect. */
  readonly addresses: readonly Pick<ServeHttpOptions, 'host' | 'allowedHosts'>[];
  /** True if readers need tokens. */
  readonly access: boolean;
}

/** Why runtimes need a token, even on this machine: others can reach the server directly or through a proxy. */
function whyTokens({ addresses, access }: RuntimeSetup): string | undefined {
  if (access) return 'readers need tokens here ("profiles" or "access" of the configuration)';
  for (const { host, allowedHosts = [] } of addresses) {
    if (!isLoopback(host)) return `everybody who reaches ${urlHost(host)} could register a runtime`;
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
      `Runtimes need a token: ${why}. Set one with --mdp-token-env, or leave --mdp out.`,
      { data: { host: setup.addresses[0]?.host } },
    );
  const authenticate = guarded ? createTokenCheck(tokens) : undefined;
  const registry = createRuntimeRegistry({ reservedIds: [catalogClientId], bounds: options.bounds, authenticate, log });
  return {
    registry,
    readable: registry,
    operated: () => registry.clients(),
    label: options.label ?? defaultRuntimeLabel,
    options,
    authenticate,
  };
}

/** Readers can also call a runtime directly, without the catalog. This view applies the policy to those calls. */
export function policedRuntimes(
  runtimes: Runtimes,
  serving: Pick<Serving, 'allowsLive' | 'acceptsLive' | 'liveEntry' | 'standing'>,
): Runtimes {
  const { registry, label } = runtimes;
  const allows = (clientId: string, path: string): boolean => {
    const place = runtimeSkillPath(label, clientId, path);
    return place !== undefined && serving.allowsLive(label, place);
  };
  const accepts = (path: string, outcome: CallOutcome): boolean =>
    serving.acceptsLive(path, outcome.ok ? outcome.data : outcome.error);
  /** A pinned skill may be served although its live text may not. */
  const isServed = (clientId: string, path: string): boolean => {
    if (allows(clientId, path)) return true;
    const place = runtimeSkillPath(label, clientId, path);
    const entry = place === undefined ? undefined : serving.liveEntry(label, skillFileUri(place, skillFileName));
    return entry !== undefined && serving.standing({ label, entry }).state === 'served';
  };
  const operated = (): readonly OperatedRuntime[] =>
    registry.clients().map((client) => {
      const skills = client.paths.filter(({ type, path }) => type === 'skill' && !isServed(client.id, path));
      const paths = client.paths.filter(({ path }) => allows(client.id, path));
      return { ...client, paths, ...(skills.length === 0 ? {} : { hidden: skills.length }) };
    });
  return { ...runtimes, readable: registryView(registry, allows, accepts), operated };
}

export interface MdpServing extends Required<Pick<ListenOptions, 'upgrade'>> {
  /** `undefined` if the request is not for runtimes. */
  answer(request: Request, url: URL): Promise<Response> | undefined;
  /** Answers only the routes on which runtimes connect, not their skills. */
  answerRuntime(request: Request, url: URL): Promise<Response> | undefined;
  /** Disconnects all runtimes in an orderly way. */
  close(): Promise<void>;
}

/** The handlers with which a server on this host accepts runtimes. */
export function serveRuntimes(runtimes: Runtimes, catalog: Catalog, host: string): MdpServing {
  const { registry, readable, operated, options, authenticate } = runtimes;
  const hub = createMdpHub(registry, catalog, { ...options, readable, operated, authenticate });
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

/** A server only for runtimes. */
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
      return answer ?? new Response('Not found. This address accepts only connections of runtimes.\n', { status: 404 });
    },
    upgrade: serving.upgrade,
    onerror,
  });
}

function hash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Returns the name of the token in an authentication. Only hashes are stored, and they are compared in constant time. */
export function createTokenCheck(tokens: Readonly<Record<string, string>>): Authenticate {
  const known = Object.entries(tokens).map(([name, token]) => ({ name, digest: hash(token) }));
  return (auth) => {
    const token = tokenOf(auth);
    if (token === undefined) return undefined;
    const hashed = hash(token);
    let found: string | undefined;
    for (const { name, digest } of known) if (timingSafeEqual(digest, hashed)) found = name;
    return found;
  };
}
