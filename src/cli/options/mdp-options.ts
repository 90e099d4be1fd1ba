/** Options of `serve` for live programs (runtimes). Tokens come from the environment only. */
import type { Command } from 'commander';
import { urlHost } from '../../node/http/host-names.ts';
import type { ServeHttpOptions } from '../../node/serve.ts';
import type { ServeMdpOptions } from '../../node/serve-mdp.ts';
import { secretIn } from '../../origins/credentials.ts';
import { usageError } from '../cli.ts';
import { optionIn, rareOption } from '../help/option-groups.ts';
import { collectVariables, isHeaderName } from './connection-options.ts';
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
    .addOption(optionIn('live', '--mdp', 'Let running programs expose live skills (Model Drive Protocol)'))
    .addOption(
      rareOption('live', '--mdp-port <[host:]port>', 'Like --mdp, on a separate address').argParser(parseListenAddress),
    )
    .addOption(
      rareOption(
        'live',
        '--mdp-token-env <name>',
        'Require the token in this variable from programs (repeatable)',
      ).argParser(collectVariables('--mdp-token-env')),
    )
    .addOption(
      rareOption(
        'live',
        '--mdp-forward-header <name>',
        'Forward this request header to programs (repeatable)',
      ).argParser(collectHeaderName),
    )
    .addOption(
      rareOption(
        'live',
        '--mdp-content-type <type>',
        'Serve live skills of this type instead of Markdown and text (repeatable)',
      ).argParser(collectType),
    );
}

/** The default address of the protocol's own clients. */
const mdpDefaultAddress: ListenAddress = { host: '127.0.0.1', port: 47_372 };

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdio: boolean;
  /** The server's own rules about who may connect. */
  readonly guards: ServeHttpOptions;
}

/** How `serve` accepts runtimes; `undefined` if it accepts none. @throws SkillwireError USAGE */
export function mdpOptions(options: MdpOptions, { env, stdio, guards }: Surroundings): ServeMdpOptions | undefined {
  const { mdp, mdpPort, mdpTokenEnv = [], mdpForwardHeader, mdpContentType } = options;
  if (mdp !== true && mdpPort === undefined) {
    const others = {
      'token-env': options.mdpTokenEnv,
      'forward-header': mdpForwardHeader,
      'content-type': mdpContentType,
    };
    for (const [name, value] of Object.entries(others))
      if (value !== undefined) throw usageError(`--mdp-${name} does nothing without --mdp. Add --mdp.`);
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

/** The options as command-line words, for the configuration of a client. */
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

function collectHeaderName(name: string, earlier: readonly string[] = []): readonly string[] {
  if (isHeaderName(name)) return [...earlier, name];
  throw usageError(`--mdp-forward-header "${name}" is not a header name. For example: cookie`);
}

function collectType(type: string, earlier: readonly string[] = []): readonly string[] {
  if (/^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/.test(type)) return [...earlier, type];
  throw usageError(`--mdp-content-type "${type}" is not a media type. For example: text/markdown`);
}
