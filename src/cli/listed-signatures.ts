/** Verdicts about the signatures of listed skills, if the reader trusts signers. Reads one file of each signed skill, and nothing otherwise. */
import { SkillwireError } from '../errors.ts';
import type { SignatureGate } from '../host/approve/signature-gate.ts';
import type { DiscoveredSkill } from '../host/discover/discovered-skill.ts';
import type { Host } from '../host/host.ts';
import { limits } from '../limits.ts';
import type { SignatureVerdict } from '../signing/verify-signature.ts';
import { verifyBytes } from '../skill/verify-bytes.ts';

/** `unread`: its signature could not be read. */
export type ListedSignature = SignatureVerdict | { readonly state: 'unread' };

/** Skills without a verdict are missing: no signers are trusted. */
export async function listedSignatures(
  skills: readonly DiscoveredSkill[],
  gate: SignatureGate,
  host: Pick<Host, 'origins'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<DiscoveredSkill, ListedSignature>> {
  const verdicts = new Map<DiscoveredSkill, ListedSignature>();
  const left = skills.values();
  const work = async (): Promise<void> => {
    for (const skill of left) {
      const verdict = await listedSignature(skill, gate, host, signal);
      if (verdict !== undefined) verdicts.set(skill, verdict);
    }
  };
  await Promise.all(Array.from({ length: limits.policy.parallelReads }, work));
  return verdicts;
}

async function listedSignature(
  skill: DiscoveredSkill,
  gate: SignatureGate,
  host: Pick<Host, 'origins'>,
  signal: AbortSignal,
): Promise<ListedSignature | undefined> {
  const { entry, label } = skill;
  try {
    const judged = await gate.judge(skill, async (uri) => {
      const context = { signal, maxBytes: limits.signing.bundleBytes };
      const file = await host.origins.get(label)?.source.open(uri, context);
      const promised = entry.resources === 'dynamic' ? undefined : entry.resources.find((one) => one.uri === uri);
      if (file === undefined || promised === undefined)
        throw new SkillwireError('FILE_NOT_FOUND', 'The signature is not served.');
      await verifyBytes(file.bytes, promised);
      return file.bytes;
    });
    return judged?.verdict;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SkillwireError) return { state: 'unread' };
    throw error;
  }
}
