import type { Agent } from '../agents/agent.ts';
import type { DialectId } from '../dialects/dialect-skill.ts';
import type { McpServerOptions } from '../sources/mcp-server/mcp-server-source.ts';
import type { HubDirectory } from '../sources/mdp-runtime/hub-directory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { isLoopbackName } from './parse-origin.ts';
import type { OriginPlace } from './place.ts';
import { startedByVariable, viaHeader } from './started-by.ts';

/** How an origin is reached. Secrets stand here as they are sent. */
export interface PlaceWay {
  /** Nobody accepted it: only public addresses are connected to, and no credential of the user is used. Default false. */
  readonly guarded?: boolean;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For a program that is started. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** For a program that is started: see `startedBy()`. */
  readonly startedBy?: string;
  readonly era?: 'auto' | 'modern' | 'legacy';
  readonly assumeSkills?: boolean;
  /** Of an MCP server; absent where it is read in what it speaks. */
  readonly dialect?: DialectId;
  readonly forbidDialects?: readonly DialectId[];
  readonly siteFetch?: 'session' | 'lazy';
  readonly timeoutMs?: number;
  /** Requests at once, apart from those of all others. Default: what the whole process shares. */
  readonly concurrency?: number;
  /** Skills without promised digests get those of the bytes that were fetched: for whoever serves a copy. */
  readonly ownDigests?: boolean;
  /** Agents besides those of the table. */
  readonly agents?: readonly Agent[];
  /** Of folders: follow changes, and keep what was read for the next start. Default neither. */
  readonly watch?: boolean;
  readonly cache?: boolean | string;
}

/** What is told of its faults has none of the secrets in it that it was given. */
export async function openPlace(place: OriginPlace, way: PlaceWay): Promise<SkillSource> {
  const given = secretsFor(place, way);
  const source = await openPlain(place, way);
  if (given.length === 0) return source;
  const { withoutSecrets } = await import('./without-secrets.ts');
  return withoutSecrets(source, given);
}

function secretsFor({ kind }: OriginPlace, { token, headers = {}, env = {} }: PlaceWay): readonly string[] {
  // These get the environment of the user, which is no secret of theirs.
  if (kind === 'git' || kind === 'agent') return [];
  const sent = Object.entries(headers).flatMap(([name, value]) => (name === viaHeader ? [] : [value]));
  return [...(token === undefined ? [] : [token]), ...sent, ...Object.values(env)];
}

async function openPlain(place: OriginPlace, way: PlaceWay): Promise<SkillSource> {
  switch (place.kind) {
    case 'folder': {
      const { directorySource } = await import('../sources/directory/directory-source.ts');
      const { kind: _, ...root } = place;
      const { watch = false, cache } = way;
      return directorySource([root], { watch, ...(cache === undefined ? {} : { cache }) });
    }
    case 'git': {
      const { openGit } = await import('./open-git.ts');
      const { repository, ref } = place;
      return openGit({
        repository,
        env: way.env ?? process.env,
        credentials: way.guarded === true ? 'none' : 'user',
        privateHost: way.guarded !== true,
        ...(ref === undefined ? {} : { ref }),
        ...timeout(way),
      });
    }
    case 'agent': {
      const { agentSource } = await import('./agent-source.ts');
      return agentSource(place.agent, way);
    }
    case 'archive': {
      const { archiveSource } = await import('../sources/archive/archive-source.ts');
      return archiveSource(place.path);
    }
    case 'site': {
      const { siteSource } = await import('./site-source.ts');
      return siteSource({
        url: place.url,
        insecureHttp: isPlainHttp(place.url),
        namedByUser: way.guarded !== true,
        ...(way.siteFetch === undefined ? {} : { fetch: way.siteFetch }),
        ...(way.ownDigests === undefined ? {} : { ownDigests: way.ownDigests }),
        ...secrets(way),
        ...timeout(way),
        ...concurrency(way),
      });
    }
    case 'mdp':
    case 'mdp-stdio': {
      const { liveSource } = await import('../sources/mdp-runtime/mdp-runtime-source.ts');
      return liveSource(await openHub(place, way));
    }
    default: {
      const { mcpServerSource } = await import('./mcp-server-source.ts');
      return mcpServerSource(await serverOptions(place, way));
    }
  }
}

type ServerPlace = Extract<OriginPlace, { kind: 'mcp' | 'stdio' }>;
type HubPlace = Extract<OriginPlace, { kind: 'mdp' | 'mdp-stdio' }>;

/** How an MCP server is reached. */
export async function serverOptions(place: ServerPlace, way: PlaceWay): Promise<McpServerOptions> {
  const { era, assumeSkills, dialect, forbidDialects } = way;
  const shared = {
    ...(era === undefined ? {} : { era }),
    ...(assumeSkills === undefined ? {} : { assumeSkills }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(forbidDialects === undefined ? {} : { forbidDialects }),
    ...timeout(way),
  };
  if (place.kind === 'mcp')
    return {
      ...shared,
      ...concurrency(way),
      url: place.url,
      insecureHttp: isPlainHttp(place.url),
      namedByUser: way.guarded !== true,
      ...secrets(way),
    };
  return { ...shared, ...(await program(place.command, way)) };
}

/** The runtimes behind a hub. */
export async function openHub(place: HubPlace, way: PlaceWay): Promise<HubDirectory> {
  if (place.kind === 'mdp-stdio') {
    const [{ mcpServerSource }, { toolsDirectory }] = await Promise.all([
      import('./mcp-server-source.ts'),
      import('../sources/mdp-runtime/tools-directory.ts'),
    ]);
    return toolsDirectory(mcpServerSource({ ...(await program(place.hubCommand, way)), ...timeout(way) }));
  }
  const [{ createHttpClient }, { createRequestSlots }, { hubDirectory }] = await Promise.all([
    import('../outbound/http-client.ts'),
    import('../outbound/request-slots.ts'),
    import('../sources/mdp-runtime/hub-directory.ts'),
  ]);
  const { protocol, hostname } = new URL(place.hub);
  const { concurrency: most } = way;
  const client = createHttpClient({
    ...(way.guarded === true ? {} : { trustedHost: hostname }),
    insecureHttp: protocol === 'ws:' && !isLoopbackName(hostname),
    ...(most === undefined ? {} : { slots: createRequestSlots(most, most) }),
    ...(way.timeoutMs === undefined ? {} : { deadlineMs: way.timeoutMs }),
  });
  const authorization = way.token === undefined ? {} : { authorization: `Bearer ${way.token}` };
  return hubDirectory({ url: place.hub, client, headers: { ...way.headers, ...authorization } });
}

async function program(words: readonly string[], { cwd, env, startedBy }: PlaceWay) {
  const { startServerChild } = await import('./start-server-child.ts');
  const [command = '', ...args] = words;
  return {
    command,
    args,
    startChild: startServerChild,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined && startedBy === undefined
      ? {}
      : { env: { ...env, ...(startedBy === undefined ? {} : { [startedByVariable]: startedBy }) } }),
  };
}

function secrets({ token, headers }: PlaceWay): Pick<PlaceWay, 'token' | 'headers'> {
  return { ...(token === undefined ? {} : { token }), ...(headers === undefined ? {} : { headers }) };
}

function concurrency({ concurrency: most }: PlaceWay): Pick<PlaceWay, 'concurrency'> {
  return most === undefined ? {} : { concurrency: most };
}

function timeout({ timeoutMs }: PlaceWay): Pick<PlaceWay, 'timeoutMs'> {
  return timeoutMs === undefined ? {} : { timeoutMs };
}

/** An `http:` address of another machine passed the border because the user said so. */
function isPlainHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopbackName(hostname);
}
