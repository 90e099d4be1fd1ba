/** The schema of `pin`, of the configuration and of an origin: which live skills are served as a snapshot, and for how long. */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { pattern } from './pattern-schema.ts';
import { spanMs } from './time-span.ts';

export interface ConfiguredPin {
  /** Pattern on the path of a live skill, in the manner of `.gitignore`. */
  readonly match: string;
  /** Absent: until it is unpinned. */
  readonly forMs?: number;
}

const spanError = '"for" is days, hours or minutes, for example "30d", "12h" or "45m"';

export const pinRules = z
  .array(
    z
      .strictObject(
        {
          match: pattern,
          for: z
            .string({ error: spanError })
            .refine((text) => spanMs(text) !== undefined, { error: spanError })
            .optional()
            .meta({ description: 'How long: days, hours or minutes.', examples: ['30d', '12h', '45m'] }),
        },
        { error: 'a rule is an object with "match" and "for"' },
      )
      .meta({ description: 'Live skills that are pinned as soon as they are seen.' }),
    { error: '"pin" is a list' },
  )
  .max(limits.gateway.settings, { error: `"pin" has at most ${limits.gateway.settings} rules` });

export function configuredPin(rule: { readonly match: string; readonly for?: string | undefined }): ConfiguredPin {
  const forMs = rule.for === undefined ? undefined : spanMs(rule.for);
  return forMs === undefined ? { match: rule.match } : { match: rule.match, forMs };
}
