/** The schema of `surfaces.mcp` in `skillwire.json`: the older ways of delivering skills, as the options of `serve` have them. */
import { z } from 'zod';
import { type ListingMode, listingModes } from '../catalog/offered-skills.ts';
import { given } from '../given.ts';

import { isSkillName } from '../skill/name.ts';
import { type DialectOptions, fallbackKinds, servedDialects } from '../surfaces/mcp/aliases/served-dialects.ts';

export interface ConfiguredMcp extends Omit<DialectOptions, 'archives' | 'listIndex' | 'scheme'> {
  readonly listing?: ListingMode;
}

export const mcpSurfaceKeys = [
  ...['dialects', 'fallback', 'resources', 'listAliases', 'archiveEntries', 'experimentalCapability'],
  ...['frontmatterMeta', 'usage', 'listing'],
];

const dialectsError = `"dialects" is "all", "none" or a list of ${servedDialects.join(', ')}`;
const fallbackError = `"fallback" is a list of ${fallbackKinds.join(', ')}`;
const usageError = '"usage" is an object with "label" (a-z, 0-9 and hyphens) and "skill" (a name or a path)';

const flag = (key: string, description: string) =>
  z
    .boolean({ error: `"${key}" is true or false` })
    .optional()
    .meta({ description });

export const mcpSurfaceSchema = z
  .strictObject(
    {
      dialects: z
        .union([z.enum(['all', 'none']), z.array(z.enum(servedDialects))], { error: dialectsError })
        .optional()
        .meta({ description: 'Older ways of delivering skills to answer in beside the extension.' }),
      fallback: z
        .array(z.enum(fallbackKinds, { error: fallbackError }), { error: fallbackError })
        .optional()
        .meta({ description: 'For hosts that know no resources. Default: both with "dialects": "all", else none.' }),
      resources: z
        .enum(['entry-points', 'all-files'], { error: '"resources" is "entry-points" or "all-files"' })
        .optional()
        .meta({ description: 'Rows of resources/list: the SKILL.md of each skill, or every file.' }),
      listAliases: flag('listAliases', 'true: resources/list shows the addresses of older dialects too.'),
      archiveEntries: flag('archiveEntries', 'true: skill://index.json has an entry of type "archive" for each skill.'),
      experimentalCapability: flag(
        'experimentalCapability',
        'true: the extension is declared in capabilities.experimental too.',
      ),
      frontmatterMeta: flag('frontmatterMeta', 'true: rows of resources/list have frontmatter in _meta.'),
      listing: z.enum(listingModes, { error: '"listing" is "compatible" or "all"' }).optional().meta({
        description:
          'compatible (default): skills/list leaves out skills for which the official MCP client rejects the whole listing. all: every listed skill.',
      }),
      usage: z
        .strictObject(
          {
            label: z.string({ error: usageError }).refine(isSkillName, { error: usageError }),
            skill: z.string({ error: usageError }).min(1, { error: usageError }),
          },
          { error: usageError },
        )
        .optional()
        .meta({ description: 'The skill to read first, at skill://LABEL/usage.' }),
    },
    { error: '"mcp" is an object' },
  )
  .meta({ description: 'How skills are served over MCP besides the extension.' });

export function configuredMcp(written: z.output<typeof mcpSurfaceSchema>): ConfiguredMcp {
  return given(written);
}
