/** Puts the authority on what is served before origins: each is served as it decides, and what a person may still decide about is gathered. */
import type { Serving } from '../serving/serving.ts';
import { deriveSource, type SkillSource } from '../sources/skill-source.ts';
import { withPolicy } from './approved-only.ts';
import { underLabel } from './under-label.ts';
import { waitingOfAll } from './waiting-skills.ts';

export interface PolicedOrigins {
  /**
   * The origin as it may be served. Its entries have the URIs under which they were approved.
   *
   * @param base below which path its skills are served, its label by default; empty if its URIs are those that are served
   */
  police(source: SkillSource, label: string, base?: string): SkillSource;
  /** Skills that a person may decide about, of all origins, under the URIs at which they would be served. For approvers alone. */
  readonly waiting: SkillSource;
}

export function policedOrigins(serving: Serving): PolicedOrigins {
  const waiting = waitingOfAll();
  return {
    police(source, label, base = label) {
      const policed = withPolicy(source, serving.decisionsFor(label, base));
      const leave = waiting.add(underLabel(policed.waiting, base));
      const detach = serving.attach({ label, ...policed });
      return deriveSource(policed, {
        name: 'pass',
        async *list(context) {
          // A listing before the first answer must not have what nobody has decided about.
          await serving.fresh();
          yield* policed.list(context);
        },
        get: 'pass',
        open: 'pass',
        readDirectory: 'drop',
        templates: 'pass',
        readResource: 'drop',
        status: 'pass',
        isCurrent: 'pass',
        freshUntil: 'pass',
        watched: 'pass',
        watch: 'pass',
        async close() {
          detach();
          leave();
          await policed.close?.();
        },
      });
    },
    waiting: waiting.source,
  };
}
