/** A configuration or a lock file becomes judged values here and nowhere else: what of it the user has accepted, and what would act. */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import type { KeyValueStore } from '../store/store.ts';
import type { ActingValue } from '../trust/acts.ts';
import {
  accepting,
  fileDigest,
  isAccepted,
  type JudgedValue,
  judged,
  parseTrustRecord,
} from '../trust/trust-record.ts';
import { type ActingConfiguration, configurationValues, type FileContext, lockValues } from './acting-values.ts';
import { type JudgedFile, trustKey } from './judged-file.ts';
import type { LockedLocation } from './location.ts';

type State = Pick<KeyValueStore, 'get'>;

export interface JudgeOptions {
  /** Digests of `--trust-config`. */
  readonly trustConfig?: readonly string[] | undefined;
  /** What these accepted of the file before it was edited in this run. */
  readonly earlier?: readonly JudgedValue[];
}

export interface JudgeConfigurationOptions extends JudgeOptions {
  /** Do not ask the state about a file that only names folders of the project: it makes no difference to opening them. */
  readonly skipPlain?: boolean;
}

export function judgeConfiguration(
  configuration: ActingConfiguration,
  context: FileContext,
  state: State,
  { skipPlain = false, ...options }: JudgeConfigurationOptions = {},
): Promise<JudgedFile> {
  const values = configurationValues(configuration, context);
  const isPlain =
    configuration.origins.every((origin) => 'folder' in origin) && values.every(({ acts }) => acts.length === 0);
  return judgeFile(context.file, values, skipPlain && isPlain ? emptyState : state, options);
}

const emptyState: State = { get: async () => undefined };

export interface LockFileContext extends FileContext {
  /** What relative paths are relative to. Default: the folder of the file. */
  readonly root?: string;
}

/** A lock file of Skillwire or of another program. */
export function judgeLock(
  skills: readonly { readonly name: string; readonly origin: LockedLocation }[],
  { root, ...context }: LockFileContext,
  state: State,
  options: JudgeOptions = {},
): Promise<JudgedFile> {
  return judgeFile(context.file, lockValues(skills, context, root ?? dirname(context.file)), state, options);
}

async function judgeFile(
  file: string,
  values: readonly ActingValue[],
  state: State,
  { trustConfig = [], earlier = [] }: JudgeOptions,
): Promise<JudgedFile> {
  const real = realpathSync(file);
  const all = values.map((value) => judged(value, nodeDigest));
  const digest = fileDigest(all, nodeDigest);
  const stored = parseTrustRecord(await state.get(trustKey(real)));
  const isGiven = trustConfig.includes(digest);
  const given = isGiven ? [...earlier, ...all] : earlier;
  const record = isGiven || given.length > 0 ? accepting(stored, given, new Date().toISOString()) : stored;
  return {
    file: real,
    digest,
    values: all,
    record,
    given,
    accepted: record !== undefined && all.every((value) => isAccepted(record, value)),
    standing(at) {
      const value = all.find((one) => one.at === at);
      if (value === undefined) throw new TypeError(`"${at}" of "${real}" was not judged`);
      if (isAccepted(record, value)) return 'own';
      return value.acts.length === 0 ? 'guarded' : 'untrusted';
    },
  };
}
