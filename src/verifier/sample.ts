/** The first skills of a listing, which are checked more thoroughly. */
import type { DecodedSkill } from '../dialects/skills-extension/decode-entry.ts';
import { limits } from '../limits.ts';
import { failureKey } from './failures.ts';
import type { Failure, SkillReport } from './report.ts';
import type { SkillChannel } from './skill-channel.ts';

export function createSample() {
  const seen: DecodedSkill[] = [];
  const uris = new Set<string>();
  const unread = new Set<string>();
  const known = new Set<string>();
  const know = (failures: readonly Failure[]): void => {
    for (const failure of failures) known.add(failureKey(failure));
  };
  return {
    seen,
    /** Keys of their reported failures, and of those passed to `know()`. */
    known,
    know,
    /** The sampled skills that were read. */
    read: (): readonly DecodedSkill[] => seen.filter(({ entry }) => !unread.has(entry.uri)),
    /** The same channel; its listed skills are sampled. */
    watch: (channel: SkillChannel): SkillChannel => ({
      ...channel,
      async *pages(signal) {
        for await (const page of channel.pages(signal)) {
          for (const skill of page.skills) {
            const { uri } = skill.entry;
            if (seen.length >= limits.verifier.sampledSkills || uris.has(uri)) continue;
            seen.push(skill);
            uris.add(uri);
          }
          yield page;
        }
      },
    }),
    done({ uri, status, failures }: SkillReport): void {
      if (!uris.has(uri)) return;
      if (status === 'skipped') unread.add(uri);
      know(failures);
    },
  };
}

export type Sample = ReturnType<typeof createSample>;
