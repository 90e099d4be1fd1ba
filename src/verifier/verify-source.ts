/** Verifies an origin that does not speak the final extension: everything it lists, against its own entries. */
import type { SkillSource } from '../sources/skill-source.ts';
import type { VerifyReport } from './report.ts';
import { sourceChannel } from './source-channel.ts';
import { type VerifyCatalogueOptions, verifyCatalogue } from './verify-catalogue.ts';

export async function verifySource(
  source: SkillSource,
  options: Omit<VerifyCatalogueOptions, 'channel'>,
): Promise<VerifyReport> {
  const catalogue = await verifyCatalogue({ ...options, channel: sourceChannel(source) });
  // Which dialect a server speaks is known once it has been listed.
  const status = await source.status?.({ signal: options.signal });
  const requirements = new Map(catalogue.skillFailures);
  for (const [id, count] of catalogue.failures.counts) requirements.set(id, (requirements.get(id) ?? 0) + count);
  return {
    status,
    counts: catalogue.counts,
    eras: [],
    failures: catalogue.failures.list,
    requirements,
    incomplete: catalogue.incomplete,
  };
}
