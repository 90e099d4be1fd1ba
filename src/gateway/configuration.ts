/**
 * `skillwire.json`: its schema, its reader and the JSON Schema that editors use, all from one definition. Strict JSON and
 * strict keys: a misspelled key is an error that names the allowed ones, never a setting that silently does nothing. Pure:
 * folders are kept as written, relative ones are relative to the file.
 */
import { z } from 'zod';
import type { Agent } from '../agents/agent.ts';
import { given } from '../given.ts';
import { limits } from '../limits.ts';
import { type ConfiguredPin, configuredPin, pinRules } from '../origins/freeze-schema.ts';
import { type ConfiguredOrigin, configuredOrigin, originSchema } from '../origins/origin-schema.ts';
import { labelLength, labelPattern, labelRule } from '../origins/parse-origin.ts';
import { pattern } from '../origins/pattern-schema.ts';
import { schemaId } from '../project.ts';
import { configurationRows } from '../trust/acts.ts';
import { checkConfiguration } from './configuration-faults.ts';
import { agentsSchema, configuredAgents } from './configured-agents.ts';
import {
  accessSchema,
  type ConfiguredAccess,
  type ConfiguredLimits,
  type ConfiguredPolicy,
  type ConfiguredProfile,
  type ConfiguredSearch,
  type ConfiguredSurfaces,
  configuredLimits,
  configuredPolicy,
  configuredProfiles,
  configuredSearch,
  configuredSurfaces,
  limitsSchema,
  policySchema,
  profilesSchema,
  searchSchema,
  surfacesSchema,
} from './serving-schema.ts';

export type { ConfiguredPin } from '../origins/freeze-schema.ts';
export type { ConfiguredOrigin } from '../origins/origin-schema.ts';
export type {
  ConfiguredAccess,
  ConfiguredLimits,
  ConfiguredPolicy,
  ConfiguredProfile,
  ConfiguredSearch,
  ConfiguredSurfaces,
} from './serving-schema.ts';

/** A `skillwire.json` that was read and checked. */
export interface Configuration {
  /** In the order of the file. */
  readonly origins: readonly ConfiguredOrigin[];
  /** In the order of the file. */
  readonly rules: readonly ConfiguredRule[];
  /** In the order of the file; absent where the file has none. */
  readonly pin?: readonly ConfiguredPin[];
  readonly policy?: ConfiguredPolicy;
  readonly profiles?: readonly ConfiguredProfile[];
  readonly access?: ConfiguredAccess;
  readonly search?: ConfiguredSearch;
  readonly surfaces?: ConfiguredSurfaces;
  readonly limits?: ConfiguredLimits;
  /** Agents besides those of the table, or in place of them; absent where the file has none. */
  readonly agents?: readonly Agent[];
}

// A key that the table of acts does not know does not compile.
const _keys: Readonly<Record<keyof Configuration, 'data' | 'each'>> = configurationRows;

export interface ConfiguredRule {
  /** Pattern on the path of a skill, in the manner of `.gitignore`. */
  readonly match: string;
  readonly listed: boolean;
}

const configurationSchemaId = schemaId('skillwire.json');

const schema = z
  .strictObject({
    $schema: z
      .string({ error: '"$schema" is a text' })
      .optional()
      .meta({ description: 'Address of this schema, for editors.', examples: [configurationSchemaId] }),
    origins: z
      .record(
        z.string().max(labelLength, { error: labelRule }).regex(labelPattern, { error: labelRule }),
        originSchema,
        { error: '"origins" is an object of labels and origins' },
      )
      .refine((all) => Object.keys(all).length <= limits.gateway.origins, {
        error: `"origins" has at most ${limits.gateway.origins} labels`,
      })
      .meta({ description: `Where skills come from, by label. The skills of an origin are served below its label.` }),
    rules: z
      .array(
        z
          .strictObject(
            {
              match: pattern,
              listed: z
                .boolean({ error: '"listed" is true or false' })
                .meta({ description: 'false: served to those who know the URI, but not listed.' }),
            },
            { error: 'a rule is an object with "match" and "listed"' },
          )
          .meta({ description: 'What holds for the skills that match.' }),
        { error: '"rules" is a list' },
      )
      .optional()
      .meta({ description: 'Which skills are listed. The last rule that matches a skill decides.' }),
    pin: pinRules
      .optional()
      .meta({ description: 'Which live skills are served as a snapshot with digests. Only with --mdp.' }),
    agents: agentsSchema,
    policy: policySchema.optional(),
    profiles: profilesSchema.optional(),
    access: accessSchema.optional(),
    search: searchSchema.optional(),
    surfaces: surfacesSchema.optional(),
    limits: limitsSchema.optional(),
  })
  .superRefine(({ origins, profiles, policy, access }, context) => {
    const refuse = (path: (string | number)[], message: string, remedy: string): void =>
      context.addIssue({ code: 'custom', path, message, params: { remedy } });
    const label = (text: string, path: (string | number)[]): void => {
      if (!Object.hasOwn(origins, text)) refuse(path, `there is no origin "${text}"`, 'name a label of "origins"');
    };
    for (const [name, profile] of Object.entries(profiles ?? {}))
      for (const [index, text] of (profile.origins ?? []).entries()) label(text, ['profiles', name, 'origins', index]);
    for (const [index, { origin }] of (policy?.deny ?? []).entries())
      if (origin !== undefined) label(origin, ['policy', 'deny', index, 'origin']);
    const anonymous = access?.anonymous;
    if (anonymous !== undefined && !Object.hasOwn(profiles ?? {}, anonymous))
      refuse(['access', 'anonymous'], `there is no profile "${anonymous}"`, 'add it to "profiles"');
  })
  .meta({
    title: 'Skillwire configuration',
    description: 'What "skillwire serve" serves.',
    $id: configurationSchemaId,
  });

/**
 * Reads the text of a configuration. Every fault is told at once, with its place, its rule and a remedy.
 *
 * @throws SkillwireError CONFIG_INVALID with `data.faults`
 */
export function parseConfiguration(text: string, file: string): Configuration {
  const read = checkConfiguration(text, file, schema);
  const { origins, rules = [], pin, policy, profiles, access, search, surfaces, limits: bounds, agents } = read;
  return {
    origins: Object.entries(origins).map(([label, origin]) => configuredOrigin(label, origin)),
    rules,
    ...given({
      pin: pin?.map(configuredPin),
      policy: policy === undefined ? undefined : configuredPolicy(policy),
      profiles: profiles === undefined ? undefined : configuredProfiles(profiles),
      access: access === undefined ? undefined : given(access),
      search: search === undefined ? undefined : configuredSearch(search),
      surfaces: surfaces === undefined ? undefined : configuredSurfaces(surfaces),
      limits: bounds === undefined ? undefined : configuredLimits(bounds),
      agents: configuredAgents(agents),
    }),
  };
}

/** The JSON Schema (draft 2020-12) of `skillwire.json`. */
export function configurationJsonSchema(): object {
  const { $schema, $id, title, description, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12' });
  return { $schema, $id, title, description, ...rest };
}
