/** What every origin of a command shares: the folder and the environment of the process, and the options of the command line. */

import { homedir } from 'node:os';
import type { Agent } from '../../agents/agent.ts';
import type { OneStore } from '../../gateway/one-store.ts';
import { findConfiguration } from '../../node/find-configuration.ts';
import { shownPath } from '../../node/shown-path.ts';
import type { OriginContext } from '../../origins/open-origin.ts';
import { displayText } from '../../skill/display-text.ts';
import type { Cli } from '../cli.ts';
import type { ConnectionOptions } from '../options/connection-options.ts';

export function originContext(
  { timeout }: Pick<ConnectionOptions, 'timeout'>,
  cli: Pick<Cli, 'cwd' | 'env' | 'stderr'>,
  store?: Pick<OneStore, 'open'>,
): OriginContext {
  const { cwd, env } = cli;
  return {
    cwd,
    env,
    timeout,
    agents: () => trustedAgents({ store }, cli),
  };
}

/** Agents of the configuration, besides those of the table. One that a file brought along with a folder of the user counts only if the user trusts it. */

interface AgentOptions extends Pick<ConnectionOptions, 'config' | 'state' | 'trustConfig'> {
  /** The store of the process. Default: the state is opened for one question, and closed. */
  readonly store?: Pick<OneStore, 'open'> | undefined;
}

export async function trustedAgents(
  options: AgentOptions,
  cli: Pick<Cli, 'cwd' | 'env' | 'stderr'>,
): Promise<readonly Agent[]> {
  const { cwd, env, stderr } = cli;
  const found = await findConfiguration({ cwd, env, home: homedir(), platform: process.platform }, options.config);
  const agents = found?.configuration.agents ?? [];
  if (found === undefined || found.from === 'user' || agents.every(({ globalFolder }) => globalFolder === undefined))
    return agents;
  const { judgedConfiguration } = await import('../../node/judged-configuration.ts');
  const { openState } = await import('../../node/open-state.ts');
  const store =
    (await options.store?.open()) ??
    (await openState(options, cli, (message) => stderr.write(`warning: ${displayText(message)}\n`)));
  try {
    const judged = (await judgedConfiguration(found, store.state, options)).judged;
    const good = agents.filter(
      ({ id, globalFolder }) =>
        globalFolder === undefined || judged === 'own' || judged.standing(`agents.${id}`) === 'own',
    );
    const left = agents.filter((agent) => !good.includes(agent)).map(({ id }) => `"${id}"`);
    if (left.length > 0)
      stderr.write(
        `warning: ${displayText(shownPath(cwd, found.file))} is not trusted, so its ${left.length === 1 ? 'agent' : 'agents'} ` +
          `${left.join(', ')} ${left.length === 1 ? 'is' : 'are'} ignored. Review it with "skillwire trust".\n`,
      );
    return good;
  } finally {
    if (options.store === undefined) await store.close();
  }
}
