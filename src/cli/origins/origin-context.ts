/** The context of all origins of a command: working folder, environment, options, and the agents of the configuration. */
import { homedir } from 'node:os';
import type { Agent } from '../../agents/agent-rows.ts';
import type { OneStore } from '../../gateway/one-store.ts';
import { findConfiguration } from '../../node/find-configuration.ts';
import { shownPath } from '../../node/shown-path.ts';
import { usersLogins } from '../../node/users-logins.ts';
import type { OriginContext } from '../../origins/open-origin.ts';
import { displayText } from '../../skill/display-text.ts';
import type { Store } from '../../store/store.ts';
import type { Cli } from '../cli.ts';
import type { ConnectionOptions, StateOptions } from '../options/connection-options.ts';

type Surroundings = Pick<Cli, 'cwd' | 'env' | 'stderr'>;

/** `store`: the store of the process, if there is one. */
interface StoreOptions extends StateOptions {
  readonly store?: Pick<OneStore, 'open'> | undefined;
}

export function originContext(
  { timeout, state }: Pick<ConnectionOptions, 'timeout' | 'state'>,
  cli: Surroundings,
  store?: Pick<OneStore, 'open'>,
): OriginContext {
  const { cwd, env } = cli;
  return {
    cwd,
    env,
    timeout,
    agents: () => trustedAgents({ store }, cli),
    logins: usersLogins({ state }, cli),
  };
}

/**
 * Agents that the configuration adds to the table. An agent with a folder outside the project, from a file that came with a folder, counts
 * only if the user trusts that file.
 */
export async function trustedAgents(
  options: StoreOptions & Pick<ConnectionOptions, 'config' | 'trustConfig'>,
  cli: Surroundings,
): Promise<readonly Agent[]> {
  const { cwd, env, stderr } = cli;
  const found = await findConfiguration({ cwd, env, home: homedir(), platform: process.platform }, options.config);
  const agents = found?.configuration.agents ?? [];
  if (found === undefined || found.from === 'user' || agents.every(({ globalFolder }) => globalFolder === undefined))
    return agents;
  const { judgedConfiguration } = await import('../../node/find-configuration.ts');
  const { judged } = await withState(options, cli, ({ state }) => judgedConfiguration(found, state, options));
  const isTrusted = ({ id, globalFolder }: Agent): boolean =>
    globalFolder === undefined || judged === 'own' || judged.standing(`agents.${id}`) === 'own';
  const ignored = agents.filter((agent) => !isTrusted(agent)).map(({ id }) => `"${id}"`);
  if (ignored.length > 0)
    stderr.write(
      `warning: ${displayText(shownPath(cwd, found.file))} is not trusted. Ignored agents: ${ignored.join(', ')}. ` +
        'Review it with "skillwire trust".\n',
    );
  return agents.filter(isTrusted);
}

/** Uses the store of the process, or opens the state and closes it afterwards. */
export async function withState<T>(
  options: StoreOptions,
  cli: Surroundings,
  run: (store: Store) => Promise<T>,
): Promise<T> {
  if (options.store !== undefined) return run(await options.store.open());
  const { openState } = await import('../../node/open-state.ts');
  const store = await openState(options, cli, (message) => cli.stderr.write(`warning: ${displayText(message)}\n`));
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}
