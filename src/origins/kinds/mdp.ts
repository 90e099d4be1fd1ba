/** Live runtimes: `mdp:URL` of a hub, or `mdp:stdio:COMMAND` of an MDP server that is started here, like the reference server. */
import { definedFields } from '../../defined-fields.ts';
import { limits } from '../../limits.ts';
import type { HubDirectory, NetworkHub } from '../../sources/mdp-runtime/hub-directory.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { addressActs, programActs } from '../../trust/acts.ts';
import { joinCommand, splitCommand } from '../command-words.ts';
import { cannotRead, isLoopbackName, withoutUser } from '../http-address.ts';
import { type OpenOriginOptions, type OriginKind, textField, wordsField } from '../origin-kind.ts';
import { openServer, startedProgram } from './mcp.ts';

export interface MdpLocation {
  readonly kind: 'mdp';
  readonly hub: string;
}

export interface OriginHub {
  readonly label?: string;
  /** Normalized; `ws:` or `wss:`, host and port alone. */
  readonly hub: string;
}

export const mdp: OriginKind<MdpLocation, OriginHub> = {
  key: 'mdp',
  prefixed: {
    prefixes: ['mdp:'],
    parse: (text, prefix, insecureHttp) => ({ hub: hubUrl(text.slice(prefix.length), insecureHttp) }),
  },
  spec: 'hub',
  location: ({ hub }) => ({ kind: 'mdp', hub }),
  read: (fields, insecureHttp) => ({ kind: 'mdp', hub: hubUrl(textField(fields, 'hub'), insecureHttp) }),
  text: ({ hub }) => `mdp:${hub}`,
  local: false,
  polled: true,
  credentials: 'http',
  acts: ({ hub }, around) => addressActs(hub, around),
  open: async (location, options) => {
    const { withReconnecting } = await import('../../sources/mdp-runtime/reconnecting-hub.ts');
    return openRuntimes(withReconnecting(await connectedHub(location, options)));
  },
  hub: connectedHub,
};

async function connectedHub({ hub }: MdpLocation, options: OpenOriginOptions): Promise<NetworkHub> {
  const [{ createHttpClient }, { createRequestSlots }, { hubDirectory }] = await Promise.all([
    import('../../outbound/http-client.ts'),
    import('../../outbound/request-slots.ts'),
    import('../../sources/mdp-runtime/hub-directory.ts'),
  ]);
  const { protocol, hostname } = new URL(hub);
  const { guarded, concurrency, timeoutMs, token, headers } = options;
  const client = createHttpClient({
    ...(guarded === true ? {} : { trustedHost: hostname }),
    insecureHttp: protocol === 'ws:' && !isLoopbackName(hostname),
    slots: concurrency === undefined ? undefined : createRequestSlots(concurrency, concurrency),
    ...definedFields({ deadlineMs: timeoutMs }),
  });
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return hubDirectory({ url: hub, client, headers: { ...headers, ...authorization } });
}

/** The address of a hub: host and port. @throws SkillwireError USAGE */
function hubUrl(written: string, insecureHttp: boolean): string {
  const refuse = (fault: string, remedy: string) => cannotRead(`mdp:${withoutUser(written)}`, fault, remedy);
  const example = 'Write mdp:ws://HOST:PORT, for example mdp:ws://127.0.0.1:4711.';
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^(?:wss?|https?):$/.test(url.protocol))
    throw refuse('it is not the address of a hub', example);
  if (url.username !== '' || url.password !== '')
    throw refuse('an address must not contain a user or a password', 'Name the token with --token-env.');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw refuse('the address of a hub is a host and a port alone', example);
  const secure = url.protocol === 'wss:' || url.protocol === 'https:';
  if (!secure && !insecureHttp && !isLoopbackName(url.hostname))
    throw refuse(
      `"${url.protocol}" to "${url.hostname}" can be read and changed on the way`,
      'Use wss:, or add --insecure-http if you trust every network in between.',
    );
  return `${secure ? 'wss' : 'ws'}://${url.host}`;
}

export interface MdpStdioLocation {
  readonly kind: 'mdp-stdio';
  readonly hubCommand: readonly string[];
}

export interface OriginHubCommand {
  readonly label?: string;
  readonly hubCommand: readonly string[];
}

export const mdpStdio: OriginKind<MdpStdioLocation, OriginHubCommand> = {
  key: 'mdp',
  prefixed: {
    prefixes: ['mdp:stdio:'],
    parse: (text, prefix) => ({ hubCommand: splitCommand(text.slice(prefix.length)) }),
  },
  spec: 'hubCommand',
  location: ({ hubCommand }) => ({ kind: 'mdp-stdio', hubCommand }),
  read: (fields) => ({ kind: 'mdp-stdio', hubCommand: wordsField(fields, 'hubCommand') }),
  text: ({ hubCommand }) => `mdp:stdio:${joinCommand(hubCommand)}`,
  local: false,
  polled: true,
  credentials: 'program',
  acts: ({ hubCommand }) => programActs(hubCommand),
  open: async (location, options) => openRuntimes(await startedHub(location, options)),
  hub: startedHub,
};

async function startedHub({ hubCommand }: MdpStdioLocation, options: OpenOriginOptions): Promise<HubDirectory> {
  const { toolsDirectory } = await import('../../sources/mdp-runtime/tools-directory.ts');
  const program = await startedProgram(hubCommand, options);
  const { timeoutMs } = options;
  // A timeout that is shorter than the time a server needs to settle is respected.
  const settleMs = Math.min(limits.liveSkills.settleMs, (timeoutMs ?? Number.POSITIVE_INFINITY) / 2);
  return toolsDirectory(await openServer({ ...program, ...definedFields({ timeoutMs }) }), { settleMs });
}

async function openRuntimes(hub: HubDirectory): Promise<SkillSource> {
  const { liveSource } = await import('../../sources/mdp-runtime/mdp-runtime-source.ts');
  return liveSource(hub);
}
