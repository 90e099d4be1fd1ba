/** What `serve`, `build`, `validate` and `connect` use of a configuration, each part accepted by the user or harmless. */
import { untrustedParts } from '../../gateway/configured-origins.ts';
import type { FoundConfiguration } from '../../node/find-configuration.ts';
import { earlierJudgement, type JudgedConfiguration, judgedConfiguration } from '../../node/judged-configuration.ts';
import { usersWord } from '../../origins/named-origin.ts';
import { displayText } from '../../skill/display-text.ts';
import type { StateKey } from '../../store/state-kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Cli } from '../cli.ts';
import type { FoundOrigins, OriginOptions, ResolveOriginsOptions } from './found-origins.ts';

type TrustOptions = Pick<OriginOptions, 'state' | 'trustConfig' | 'again' | 'store'>;

/** The state is opened only if what it says can make a difference. */
export async function judgedHere(
  found: FoundConfiguration | undefined,
  options: TrustOptions,
  cli: Cli,
): Promise<JudgedConfiguration | undefined> {
  if (found === undefined) return undefined;
  const { trustConfig, again } = options;
  const state = { get: (key: StateKey) => withState(options, cli, (store) => store.state.get(key)) };
  return judgedConfiguration(found, state, { trustConfig, earlier: earlierJudgement(again), skipPlain: true });
}

/** @throws SkillwireError NOT_TRUSTED */
export async function trustedOrigins(
  found: FoundOrigins,
  options: TrustOptions,
  cli: Cli,
  command: ResolveOriginsOptions['command'],
): Promise<FoundOrigins> {
  const { found: configured } = found;
  if (configured === undefined || configured.judged === 'own') return found;
  const { judged } = configured;
  const at = untrustedParts([...found.origins, ...found.mirrors], configured, command === 'serve');
  if (at.length === 0) return found;
  const { requireAccepted } = await import('./trust-question.ts');
  const { signal } = new AbortController();
  await withState(options, cli, (store) => requireAccepted(judged, at, store, cli, signal));
  return {
    ...found,
    origins: found.origins.map((origin) => ({ ...origin, trust: usersWord })),
    mirrors: found.mirrors.map((origin) => ({ ...origin, trust: usersWord })),
  };
}

async function withState<T>(options: TrustOptions, cli: Cli, run: (store: Store) => Promise<T>): Promise<T> {
  if (options.store !== undefined) return run(await options.store.open());
  const { openState } = await import('../../node/open-state.ts');
  const store = await openState(options, cli, (message) => cli.stderr.write(`warning: ${displayText(message)}\n`));
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}
