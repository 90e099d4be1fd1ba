/** What every origin of a command shares: the folder and the environment of the process, and the options of the command line. */
import type { OneStore } from '../../gateway/one-store.ts';
import type { OriginContext } from '../../origins/open-origin.ts';
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
    async agents() {
      const { trustedAgents } = await import('./trusted-agents.ts');
      return trustedAgents({ store }, cli);
    },
  };
}
