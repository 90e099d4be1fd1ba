/** The setting `"store"`: one state for several servers. */
import { z } from 'zod';
import { duration } from '../origins/setting-schemas.ts';
import { clusterPattern } from '../store/postgres/cluster-name.ts';

const address = `"postgres" must be a URL such as "postgres://user:password@host/database", or a variable such as "\${DATABASE_URL}"`;
const name = '"cluster" must be 1 to 40 characters a-z, 0-9 and hyphens, starting with a letter';

export const storeSchema = z
  .strictObject(
    {
      postgres: z
        .string({ error: address })
        .refine((text) => /^(?:postgres(?:ql)?:\/\/|\$\{)/.test(text), { error: address })
        .meta({ description: `URL of the database. \${NAME} is replaced by an environment variable.` }),
      cluster: z
        .string({ error: name })
        .regex(clusterPattern, { error: name })
        .meta({ description: 'Name of this group of servers. Its tables are in a schema of this name.' }),
      whenAway: z.enum(['serve', 'strict'], { error: '"whenAway" must be "serve" or "strict"' }).optional().meta({
        description:
          'If the database is away: "serve" approved content for the time of "away" (default), or "strict": answer 503.',
      }),
      away: duration('away', { least: 1_000, most: 24 * 60 * 60_000, example: '15m' })
        .optional()
        .meta({ description: 'How long a server serves without the database. Default 15m.' }),
    },
    { error: '"store" must be an object with "postgres" and "cluster"' },
  )
  .meta({ description: 'A shared store for several servers. Default: a folder of this machine.' });

export type ConfiguredStore = z.output<typeof storeSchema>;
