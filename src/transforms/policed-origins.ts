/** Applies the serving decisions to origins, and collects the skills that a person may still decide about. */
import type { Serving } from '../serving/serving.ts';
import { deriveSource, type SkillSource } from '../sources/skill-source.ts';
import { underLabel } from './under-label.ts';
import { waitingOfAll } from './waiting-skills.ts';
import { withPolicy } from './with-policy.ts';

export interface PolicedOrigins {
  /**
   * The origin as it may be served. Its entries have the URIs under which they were approved.
   *
   * @param base the path under which its skills are served, its label by default; empty if they keep their URIs
   */
  police(source: SkillSource, label: string, base?: string): SkillSource;
  /** The skills of all origins that a person may decide about, under the URIs they would be served at. For approvers only. */
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
        search: 'drop',
        name: 'pass',
        async *list(context) {
          // A listing must not contain a skill before its decisions are known.
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
