/** A configuration together with what of it the user has accepted. */
import { homedir } from 'node:os';
import type { JudgedFile } from '../origins/judged-file.ts';
import type { KeyValueStore } from '../store/store.ts';
import type { FoundConfiguration } from './find-configuration.ts';

/** A configuration and what of it the user has accepted. */
export interface JudgedConfiguration extends FoundConfiguration {
  readonly judged: JudgedFile | 'own';
}

type TrustState = Pick<KeyValueStore, 'get'>;

export interface JudgeOptions {
  /** Digests of files that are accepted for this run. */
  readonly trustConfig?: readonly string[] | undefined;
  /** The judgement of the same file before it was edited in this run. */
  readonly before?: Pick<JudgedConfiguration, 'judged'> | undefined;
}

/** The configuration, with what of it the user has accepted. */
export async function judgedConfiguration(
  found: FoundConfiguration | undefined,
  state: TrustState,
  { trustConfig }: JudgeOptions,
): Promise<JudgedConfiguration | undefined> {
  if (found === undefined) return undefined;
  if (found.from === 'user') return { ...found, judged: 'own' };
  const { configurationValues, judgeFile } = await import('../origins/judged-file.ts');
  const { file, configuration } = found;
  const values = configurationValues(configuration, { file, home: homedir() });
  return { ...found, judged: await judgeFile(file, values, state, trustConfig) };
}

/** The same for a server: the state is asked only if what it says can make a difference. */
export async function judgedForServing(
  found: FoundConfiguration,
  { trustConfig, before }: JudgeOptions,
  withState: (judge: (state: TrustState) => Promise<JudgedFile>) => Promise<JudgedFile>,
): Promise<JudgedConfiguration> {
  if (found.from === 'user') return { ...found, judged: 'own' };
  const { configurationValues, judgeFile } = await import('../origins/judged-file.ts');
  const { file, configuration } = found;
  const values = configurationValues(configuration, { file, home: homedir() });
  const plain =
    configuration.origins.every((origin) => 'folder' in origin) && values.every(({ acts }) => acts.length === 0);
  const earlier = before === undefined || before.judged === 'own' ? [] : before.judged.given;
  const judge = (state: TrustState): Promise<JudgedFile> => judgeFile(file, values, state, trustConfig, earlier);
  return { ...found, judged: await (plain ? judge({ get: async () => undefined }) : withState(judge)) };
}
