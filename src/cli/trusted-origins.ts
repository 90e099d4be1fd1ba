/** What `serve`, `build`, `validate` and `connect` use of a configuration, each part accepted by the user or harmless. */
import { homedir } from 'node:os';
import { usersWord } from '../origins/named-origin.ts';
import { displayText } from '../skill/display-text.ts';
import type { Store } from '../store/store.ts';
import type { Cli } from './cli.ts';
import type { FoundConfiguration } from './find-configuration.ts';
import type { FoundOrigins, OriginOptions, ResolveOriginsOptions } from './found-origins.ts';
import type { JudgedConfiguration } from './judged-configuration.ts';

type TrustOptions = Pick<OriginOptions, 'state' | 'trustConfig' | 'again' | 'store'>;

/** The state is opened only if what it says can make a difference. */
export async function judgedHere(
  found: FoundConfiguration | undefined,
  options: TrustOptions,
  cli: Cli,
): Promise<JudgedConfiguration | undefined> {
  if (found === undefined) return undefined;
  if (found.from === 'user') return { ...found, judged: 'own' };
  const { configurationValues, judgeFile } = await import('../origins/judged-file.ts');
  const { file, configuration } = found;
  const values = configurationValues(configuration, { file, home: homedir() });
  const plain =
    configuration.origins.every((origin) => 'folder' in origin) && values.every(({ acts }) => acts.length === 0);
  const earlier = options.again === undefined || options.again.judged === 'own' ? [] : options.again.judged.given;
  const judge = (state: Parameters<typeof judgeFile>[2]): ReturnType<typeof judgeFile> =>
    judgeFile(file, values, state, options.trustConfig, earlier);
  const judged = plain
    ? await judge({ get: async () => undefined })
    : await withState(options, cli, ({ state }) => judge(state));
  return { ...found, judged };
}

/** @throws SkillwireError NOT_TRUSTED */
export async function trustedOrigins(
  found: FoundOrigins,
  options: TrustOptions,
  cli: Cli,
  command: ResolveOriginsOptions['command'],
): Promise<FoundOrigins> {
  const judged = found.found?.judged;
  if (judged === undefined || judged === 'own') return found;
  const used = [...found.origins, ...found.mirrors].filter(({ trust }) => trust.standing === 'untrusted');
  const access = command === 'serve' ? judged.values.filter(({ at }) => at.startsWith('access.')) : [];
  const at = [
    ...used.flatMap(({ trust }) => (trust.at === undefined ? [] : [trust.at])),
    ...access.map((value) => value.at).filter((one) => judged.standing(one) === 'untrusted'),
  ];
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
  const { openState } = await import('../node/open-state.ts');
  const store = await openState(options, cli, (message) => cli.stderr.write(`warning: ${displayText(message)}\n`));
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}
