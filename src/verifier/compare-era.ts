/** Checks that a server serves the same in another protocol era: the same listing, and the same bytes for a sample. */
import type { DecodedSkill } from '../dialects/skills-extension/decode-entry.ts';
import { limits } from '../limits.ts';
import type { Digester } from '../skill/digest.ts';
import type { Wire } from '../sources/mcp-server/wire.ts';
import type { FailureList } from './failures.ts';
import { createGate } from './gate.ts';
import { judge } from './judge.ts';
import { fingerprint } from './served-digests.ts';
import type { CatalogReport } from './verify-catalog.ts';
import { verifySkill } from './verify-skill.ts';
import { wireChannel } from './wire-channel.ts';

export interface CompareEraOptions {
  readonly wire: Wire;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly digest: Digester;
}

/** Compares the listings. Returns the number of skills, and why there may be more. */
export async function compareListing(
  { fingerprints, incomplete }: Pick<CatalogReport, 'fingerprints' | 'incomplete'>,
  { wire, deadlineMs, signal, digest }: CompareEraOptions,
  failures: FailureList,
): Promise<{ readonly skills: number; readonly cut?: string }> {
  const seen = new Set<string>();
  let pages = 0;
  let cut: string | undefined;
  try {
    for await (const page of wireChannel(wire, deadlineMs).pages(signal)) {
      pages++;
      failures.addShared(page.remarks.filter(({ uri }) => uri === undefined));
      cut ??= page.cut;
      for (const skill of page.skills) {
        const { uri } = skill.entry;
        seen.add(uri);
        const expected = fingerprints.get(uri);
        if (expected === undefined) {
          if (incomplete.length === 0)
            failures.add({ requirement: 'S-36', message: 'the skill is listed in one protocol era only', uri });
        } else if (expected.all !== fingerprint(skill, digest).all)
          failures.add({ requirement: 'S-45', message: 'the entry is another one than in the other era', uri });
      }
    }
  } catch (error) {
    const judged = judge(error, { requirement: pages === 0 ? 'S-1' : 'S-36', unknownMethod: 'S-1' });
    cut = `skills/list could not be read to its end: ${judged.message}`;
    if (judged.kind === 'broken') failures.add({ requirement: judged.requirement, message: judged.message });
  }
  if (cut !== undefined) return { skills: seen.size, cut };
  for (const uri of fingerprints.keys()) {
    if (!seen.has(uri)) failures.add({ requirement: 'S-36', message: 'the skill is not listed in this era', uri });
  }
  return { skills: seen.size };
}

/** Reads the files of a sample again. Returns the reasons why some were not read. */
export async function readAgain(
  sample: readonly DecodedSkill[],
  { wire, deadlineMs, signal, digest }: CompareEraOptions,
  failures: FailureList,
): Promise<readonly string[]> {
  const channel = wireChannel(wire, deadlineMs);
  const gate = createGate(limits.verifier.bytesInFlight);
  const reasons: string[] = [];
  for (const listed of sample) {
    const parallelFiles = limits.verifier.parallelFiles;
    const onAnswer = failures.addShared;
    const { report } = await verifySkill(listed, { channel, digest, signal, gate, parallelFiles, onAnswer });
    for (const failure of report.failures) failures.add(failure);
    if (report.status === 'unchecked') reasons.push(report.reason ?? report.uri);
  }
  return reasons;
}
