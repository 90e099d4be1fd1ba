/** A configuration together with what of it the user has accepted. */

import { homedir } from 'node:os';
import type { JudgedFile } from '../origins/judged-file.ts';
import type { KeyValueStore } from '../store/store.ts';
import type { ConnectionOptions } from './connection-options.ts';
import type { FoundConfiguration } from './find-configuration.ts';

/** A configuration and what of it the user has accepted. */
export interface JudgedConfiguration extends FoundConfiguration {
  readonly judged: JudgedFile | 'own';
}

/** The configuration, with what of it the user has accepted. */
export async function judgedConfiguration(
  found: FoundConfiguration | undefined,
  state: Pick<KeyValueStore, 'get'>,
  { trustConfig }: Pick<ConnectionOptions, 'trustConfig'>,
): Promise<JudgedConfiguration | undefined> {
  if (found === undefined) return undefined;
  if (found.from === 'user') return { ...found, judged: 'own' };
  const { configurationValues, judgeFile } = await import('../origins/judged-file.ts');
  const { file, configuration } = found;
  const values = configurationValues(configuration, { file, home: homedir() });
  return { ...found, judged: await judgeFile(file, values, state, trustConfig) };
}
