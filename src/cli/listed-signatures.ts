/**
 * Verdicts about the signatures of listed skills. Reads one file of each signed skill, and nothing if nobody is trusted. A signature that
 * cannot be read is a verdict too, so one bad skill never hides the others.
 */
import { codeOf, type ErrorCode, SkillwireError } from '../errors.ts';
import type { SignatureGate } from '../host/approve/signature-gate.ts';
import type { DiscoveredSkill } from '../host/discover/discovered-skill.ts';
import type { Host } from '../host/host.ts';
import { limits } from '../limits.ts';
import type { SignatureVerdict, Unreadable } from '../signing/verify-signature.ts';
import type { SkillEntry } from '../skill/entry.ts';
import { verifyBytes } from '../skill/verify-bytes.ts';
import type { SkillSource } from '../sources/skill-source.ts';

/** Its origin did not give the signature. */
export interface UnreadSignature {
  readonly state: 'unread';
  readonly reason: string;
}

export type ListedSignature = SignatureVerdict | UnreadSignature;

/** Skills without a verdict are missing: no signers are trusted. */
export async function listedSignatures(
  skills: readonly DiscoveredSkill[],
  gate: SignatureGate,
  host: Pick<Host, 'origins'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<DiscoveredSkill, ListedSignature>> {
  const verdicts = new Map<DiscoveredSkill, ListedSignature>();
  await eachInParallel(skills, async (skill) => {
    const source = host.origins.get(skill.label)?.source;
    const verdict = source === undefined ? undefined : await servedSignature(skill, source, gate, signal);
    if (verdict !== undefined) verdicts.set(skill, verdict);
  });
  return verdicts;
}

/** Reads a few at a time. */
export async function eachInParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: limits.policy.parallelReads }, worker));
}

/** `undefined` if no signers are trusted. */
export async function servedSignature(
  skill: { readonly label: string; readonly entry: SkillEntry },
  source: Pick<SkillSource, 'open'>,
  gate: SignatureGate,
  signal: AbortSignal,
): Promise<ListedSignature | undefined> {
  try {
    return (await gate.judge(skill, (uri) => readSignature(skill.entry, uri, source, signal)))?.verdict;
  } catch (error) {
    signal.throwIfAborted();
    return unreadable(error);
  }
}

/** The verified bytes of a signature file. @throws SkillwireError */
export async function readSignature(
  { resources }: Pick<SkillEntry, 'resources'>,
  uri: string,
  source: Pick<SkillSource, 'open'>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const file = await source.open(uri, { signal, maxBytes: limits.signing.bundleBytes });
  const promised = resources === 'dynamic' ? undefined : resources.find((one) => one.uri === uri);
  if (file === undefined || promised === undefined)
    throw new SkillwireError('FILE_NOT_FOUND', 'The signature is not served.');
  await verifyBytes(file.bytes, promised);
  return file.bytes;
}

/** The origin answered, and not with the promised file. */
const unusable: ReadonlySet<unknown> = new Set<ErrorCode>([
  'BAD_ANSWER',
  'FILE_NOT_FOUND',
  'LIMIT_EXCEEDED',
  'VERIFICATION_FAILED',
]);

/** The verdict about a signature that could not be read. Throws everything that is not an answer of the origin. */
export function unreadable(error: unknown): Unreadable | UnreadSignature {
  if (!(error instanceof SkillwireError)) throw error;
  const reason = error.message;
  return unusable.has(codeOf(error)) ? { state: 'invalid', step: 'file', reason } : { state: 'unread', reason };
}
