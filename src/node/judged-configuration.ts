/** A configuration together with what of it the user has accepted. */
import { homedir } from 'node:os';
import type { JudgeConfigurationOptions } from '../origins/judge-file.ts';
import type { JudgedFile } from '../origins/judged-file.ts';
import type { KeyValueStore } from '../store/store.ts';
import type { JudgedValue } from '../trust/trust-record.ts';
import type { FoundConfiguration } from './find-configuration.ts';

/** A configuration and what of it the user has accepted. */
export interface JudgedConfiguration extends FoundConfiguration {
  readonly judged: JudgedFile | 'own';
}

/** @param state read only for a file that came with a folder */
export async function judgedConfiguration(
  found: FoundConfiguration,
  state: Pick<KeyValueStore, 'get'>,
  options: JudgeConfigurationOptions,
): Promise<JudgedConfiguration> {
  if (found.from === 'user') return { ...found, judged: 'own' };
  const { judgeConfiguration } = await import('../origins/judge-file.ts');
  const { file, configuration } = found;
  return { ...found, judged: await judgeConfiguration(configuration, { file, home: homedir() }, state, options) };
}

/** What was accepted of a file with a digest, before it was edited in this run. */
export function earlierJudgement(before: Pick<JudgedConfiguration, 'judged'> | undefined): readonly JudgedValue[] {
  return before === undefined || before.judged === 'own' ? [] : before.judged.given;
}
