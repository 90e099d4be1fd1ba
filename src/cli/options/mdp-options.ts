/** The options by which `serve` takes live runtimes. Tokens come from the environment only. */
import type { Command } from 'commander';
import { SkillwireError } from '../../errors.ts';
import { urlHost } from '../../node/http/host-names.ts';
import type { ServeHttpOptions } from '../../node/serve.ts';
import type { ServeMdpOptions } from '../../node/serve-mdp.ts';
import { secretIn } from '../../origins/credentials.ts';
import { type ListenAddress, parseListenAddress } from './listen-address.ts';

export interface MdpOptions {
  readonly mdp?: boolean;
  readonly mdpPort?: ListenAddress;
  readonly mdpTokenEnv?: readonly string[];
  readonly mdpForwardHeader?: readonly string[];
  readonly mdpContentType?: readonly string[];
}

export function addMdpOptions(command: Command): Command {
  return command
    .option('--mdp', 'let running programs connect and expose live skills (Model Drive Protocol)')
    .option('--mdp-port <[host:]port>', 'the same, on an address of its own', parseListenAddress)
    .option('--mdp-token-env <name>', 'ask programs for the token in this variable (repeatable)', collectVariable)
    .option(
      '--mdp-forward-header <name>',
      'pass this request header on to programs too (repeatable)',
      collectHeaderName,
    )
    .option(
      '--mdp-content-type <type>',
      'serve live skills of this type; replaces Markdown and text (repeatable)',
      collectType,
    );
}

/** Where the protocol's own clients look for a server when they are told nothing. */
const mdpDefaultAddress: ListenAddress = { host: '127.0.0.1', port: 47_372 };

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdio: boolean;
  /** Who may connect, as the server itself has it. */
  readonly guards: ServeHttpOptions;
}

/** How `serve` takes runtimes, or undefined where it does not. @throws SkillwireError USAGE */
export function mdpOptions(options: MdpOptions, { env, stdio, guards }: Surroundings): ServeMdpOptions | undefined {
  const { mdp, mdpPort, mdpTokenEnv = [], mdpForwardHeader, mdpContentType } = options;
  if (mdp !== true && mdpPort === undefined) {
    const given = {
      'token-env': options.mdpTokenEnv,
      'forward-header': mdpForwardHeader,
      'content-type': mdpContentType,
    };
    for (const [name, value] of Object.entries(given))
      if (value !== undefined)
        throw new SkillwireError('USAGE', `--mdp-${name} does nothing without --mdp; add it, or leave the option out`);
    return undefined;
  }
  const own = mdpPort ?? (stdio ? mdpDefaultAddress : undefined);
  const tokens = Object.fromEntries(mdpTokenEnv.map((name) => [name, secretIn(name, 'the token of runtimes', env)]));
  return {
    listen: own === undefined ? undefined : { ...guards, ...own },
    tokens,
    forwardHeaders: mdpForwardHeader,
    contentTypes: mdpContentType,
  };
}

/** The same options again, for whoever starts the server in another place. */
export function mdpFlags({ mdp, mdpPort, mdpTokenEnv, mdpForwardHeader, mdpContentType }: MdpOptions): string[] {
  const repeated = (flag: string, values: readonly string[] = []): string[] => values.flatMap((value) => [flag, value]);
  return [
    ...(mdp === true ? ['--mdp'] : []),
    ...(mdpPort === undefined ? [] : ['--mdp-port', `${urlHost(mdpPort.host)}:${mdpPort.port}`]),
    ...repeated('--mdp-token-env', mdpTokenEnv),
    ...repeated('--mdp-forward-header', mdpForwardHeader),
    ...repeated('--mdp-content-type', mdpContentType),
  ];
}

/** The text may be a secret that was written in the wrong place, so it is not repeated. */
function collectVariable(name: string, earlier: readonly string[] = []): readonly string[] {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [...earlier, name];
  throw new SkillwireError(
    'USAGE',
    '--mdp-token-env takes the name of an environment variable; the token itself is never written there',
  );
}

function collectHeaderName(name: string, earlier: readonly string[] = []): readonly string[] {
  if (/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return [...earlier, name];
  throw new SkillwireError('USAGE', `--mdp-forward-header "${name}" is no name of a header; write one, such as cookie`);
}

function collectType(type: string, earlier: readonly string[] = []): readonly string[] {
  if (/^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/.test(type)) return [...earlier, type];
  throw new SkillwireError('USAGE', `--mdp-content-type "${type}" is no media type; write one, such as text/markdown`);
}
