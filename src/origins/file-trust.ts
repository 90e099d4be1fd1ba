/**
 * Whether a `skillwire.json` or a lock file that came with a folder may act. `judge-file.ts` finds the values that act; the state has the
 * values that the user has accepted, under the real path of the file. Without acceptance, origins that only read the project or public
 * https addresses open within bounds, and no other origin opens.
 */
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { SkillwireError } from '../errors.ts';
import { displayText, quoteText } from '../skill/display-text.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import type { StateKey } from '../store/state-kinds.ts';
import type { KeyValueStore, Store } from '../store/store.ts';
import { decisionTime } from '../store/tombstones.ts';
import { type Act, type ActingValue, actWords } from '../trust/acts.ts';
import {
  accepting,
  isAccepted,
  type JudgedValue,
  judged,
  parseTrustRecord,
  recordJson,
  type TrustRecord,
} from '../trust/trust-record.ts';

/**
 * `own`: named or accepted by the user. `guarded`: reaches only public addresses and the project, without credentials. `untrusted`: would
 * act, and the user has not accepted that.
 */
export type FileStanding = 'own' | 'guarded' | 'untrusted';

export interface JudgedFile {
  /** Real path. */
  readonly file: string;
  /** The digest of all acting values: see `--trust-config`. */
  readonly digest: string;
  readonly values: readonly JudgedValue[];
  readonly record: TrustRecord | undefined;
  /** Accepted for this run only, by `--trust-config`. */
  readonly acceptedForRun: readonly JudgedValue[];
  /** Whether the user accepted the file; then origins that do not act are the user's own, too. */
  readonly accepted: boolean;
  standing(at: string): FileStanding;
}

/** The part of the state that records trust. */
export type TrustStore = Pick<Store, 'state' | 'audit'>;

export const trustKey = (file: string): StateKey => ['trust', file];

/** Records that the user accepts all acting values of the file. */
export async function acceptFile(
  { file, values, digest }: Pick<JudgedFile, 'file' | 'values' | 'digest'>,
  { state, audit }: TrustStore,
): Promise<void> {
  const key = trustKey(file);
  const at = await decisionTime(state, key);
  await audit.append({ at, action: 'trust', by: 'person', key, data: { file, digest } });
  await state.set(key, recordJson(accepting(undefined, values, at)));
}

/** Records values that the user has just written into the file through Skillwire, besides those accepted before. */
export async function acceptValues(
  file: string,
  values: readonly ActingValue[],
  { state, audit }: TrustStore,
): Promise<void> {
  const real = realpathSync(file);
  const key = trustKey(real);
  const at = await decisionTime(state, key);
  const own = values.map((value) => judged(value, nodeDigest));
  await audit.append({ at, action: 'trust', by: 'person', key, data: { file: real, values: own.map(digestOf) } });
  // Of two processes that accept values at once, one may be lost: the user is asked again.
  await state.set(key, recordJson(accepting(parseTrustRecord(await state.get(key)), own, at)));
}

const digestOf = ({ digest }: JudgedValue): string => digest;

/** Removes the trust in a file. `false` if there was none. */
export async function forgetFile(file: string, { state, audit }: TrustStore): Promise<boolean> {
  const key = trustKey(file);
  if ((await state.get(key)) === undefined) return false;
  const at = await decisionTime(state, key);
  await audit.append({ at, action: 'untrust', by: 'person', key, data: { file } });
  return state.delete(key);
}

export async function trustedFiles(
  state: Pick<KeyValueStore, 'entries'>,
): Promise<readonly { readonly file: string; readonly record: TrustRecord | undefined }[]> {
  return (await state.entries(['trust'])).map(({ key: [, file = ''], value }) => ({
    file,
    record: parseTrustRecord(value),
  }));
}

/** The acts that are not accepted. @param at only these parts of the file */
export function openActs(
  { values, record }: Pick<JudgedFile, 'values' | 'record'>,
  at?: readonly string[],
): readonly Act[] {
  return values
    .filter((value) => (at === undefined || at.includes(value.at)) && !isAccepted(record, value))
    .flatMap(({ acts }) => acts);
}

export function notTrusted(
  judgement: Pick<JudgedFile, 'file' | 'digest' | 'values' | 'record'>,
  at?: readonly string[],
): SkillwireError {
  const acts = openActs(judgement, at);
  const [first] = acts;
  const { file, digest } = judgement;
  const what =
    first === undefined
      ? ''
      : ` It wants to ${actWords[first.kind]} (${displayText(first.at)}: ${quoteText(first.value)})`;
  const more = acts.length > 1 ? ` and ${acts.length - 1} more.` : first === undefined ? '' : '.';
  return new SkillwireError(
    'NOT_TRUSTED',
    `${quoteText(basename(file))} came with this folder and is not trusted.${what}${more} ` +
      `Review it with "skillwire trust ${shellWord(file)}".`,
    { data: { file, digest, acts } },
  );
}

/** The user is logged in to an origin of a file, and has not accepted the file. */
export function loginNotUsed({ file }: Pick<JudgedFile, 'file'>, url: string): SkillwireError {
  return new SkillwireError(
    'NOT_AUTHORIZED',
    `Your login to ${quoteText(url)} is not used: ${quoteText(basename(file))} came with this folder and is not trusted. ` +
      `Review it with "skillwire trust ${shellWord(file)}".`,
    { data: { url, file, reason: 'not-trusted' } },
  );
}

function shellWord(path: string): string {
  const shown = displayText(path);
  return /^[\w@%+=:,./\\-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}
