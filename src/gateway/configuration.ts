/**
 * `skillwire.json`: its schema, its parser and the JSON Schema for editors, all from one definition. JSON and keys are strict:
 * a misspelled key is an error that names the allowed ones. Pure: paths stay as written, relative to the file.
 */
import { z } from 'zod';
import type { Agent } from '../agents/agent-rows.ts';
import { definedFields } from '../defined-fields.ts';
import { limits } from '../limits.ts';
import { type ConfiguredOrigin, configuredOrigin, originSchema } from '../origins/origin-schema.ts';
import { labelLength, labelPattern, labelRule } from '../origins/parse-origin.ts';
import { type ConfiguredPin, configuredPin, pattern, pinRules } from '../origins/setting-schemas.ts';
import { schemaId } from '../project.ts';
import type { ValueCheck } from '../skill/checked-options.ts';
import { isJsonObject } from '../skill/json.ts';
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
  configuredAccess,
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
import { type ConfiguredSigner, configuredSigners, signersSchema } from './signers-schema.ts';
import { type ConfiguredStore, storeSchema } from './store-schema.ts';

/** A `skillwire.json` that was read and checked. */
export interface Configuration {
  /** In the order of the file. */
  readonly origins: readonly ConfiguredOrigin[];
  /** In the order of the file. */
  readonly rules: readonly ConfiguredRule[];
  /** In the order of the file; absent if the file has none. */
  readonly pin?: readonly ConfiguredPin[];
  readonly policy?: ConfiguredPolicy;
  /** `approved-only`: `-y` of `add` and `update` accepts nothing. Default `open`. */
  readonly install?: InstallSetting;
  /** In the order of the file; absent if the file has none. */
  readonly signers?: readonly ConfiguredSigner[];
  readonly profiles?: readonly ConfiguredProfile[];
  readonly access?: ConfiguredAccess;
  readonly search?: ConfiguredSearch;
  readonly surfaces?: ConfiguredSurfaces;
  /** Absent: the state is a folder of this machine. */
  readonly store?: ConfiguredStore;
  readonly limits?: ConfiguredLimits;
  /** Agents that extend or replace the built-in table; absent if the file has none. */
  readonly agents?: readonly Agent[];
}

export const configurationOrFile: ValueCheck<string | Configuration> = {
  wanted: 'the path of a file, or a configuration with "origins" and "rules"',
  accepts: (value) =>
    typeof value === 'string' ||
    (isJsonObject(value) && Array.isArray(value['origins']) && Array.isArray(value['rules'])),
};

// A key without a row in the table of acts does not compile.
const _keys: Readonly<Record<keyof Configuration, 'data' | 'each'>> = configurationRows;

/** Whether `-y` may accept a plan on behalf of a person. */
export type InstallSetting = 'open' | 'approved-only';

export interface ConfiguredRule {
  /** Pattern for the path of a skill, in `.gitignore` syntax. */
  readonly match: string;
  readonly listed: boolean;
}

const configurationSchemaId = schemaId('skillwire.json');

const schema = z
  .strictObject({
    $schema: z
      .string({ error: '"$schema" must be a string' })
      .optional()
      .meta({ description: 'Address of this schema, for editors.', examples: [configurationSchemaId] }),
    origins: z
      .record(
        z.string().max(labelLength, { error: labelRule }).regex(labelPattern, { error: labelRule }),
        originSchema,
        { error: '"origins" must be an object of labels and origins' },
      )
      .refine((all) => Object.keys(all).length <= limits.gateway.origins, {
        error: `"origins" must have at most ${limits.gateway.origins} labels`,
      })
      .meta({ description: 'Origins by label. Skill URIs start with the label.' }),
    rules: z
      .array(
        z
          .strictObject(
            {
              match: pattern,
              listed: z
                .boolean({ error: '"listed" must be true or false' })
                .meta({ description: 'false: served by URI, but not listed.' }),
            },
            { error: 'a rule must be an object with "match" and "listed"' },
          )
          .meta({ description: 'A rule for the skills that match.' }),
        { error: '"rules" must be a list' },
      )
      .optional()
      .meta({ description: 'Which skills are listed. The last matching rule wins.' }),
    pin: pinRules
      .optional()
      .meta({ description: 'Live skills to pin: they are served as a snapshot with digests. Requires --mdp.' }),
    agents: agentsSchema,
    policy: policySchema.optional(),
    install: z
      .enum(['open', 'approved-only'], { error: '"install" must be "open" or "approved-only"' })
      .optional()
      .meta({ description: '"approved-only": -y of "skillwire add" accepts nothing that a person has not approved.' }),
    signers: signersSchema.optional(),
    profiles: profilesSchema.optional(),
    access: accessSchema.optional(),
    search: searchSchema.optional(),
    surfaces: surfacesSchema.optional(),
    store: storeSchema.optional(),
    limits: limitsSchema.optional(),
  })
  .superRefine(({ origins, profiles, policy, access, signers }, context) => {
    const refuse = (path: (string | number)[], message: string, remedy: string): void =>
      context.addIssue({ code: 'custom', path, message, params: { remedy } });
    const label = (text: string, path: (string | number)[]): void => {
      if (!Object.hasOwn(origins, text)) refuse(path, `unknown origin "${text}"`, 'use a label of "origins"');
    };
    for (const [name, profile] of Object.entries(profiles ?? {}))
      for (const [index, text] of (profile.origins ?? []).entries()) label(text, ['profiles', name, 'origins', index]);
    for (const [index, { origin }] of (policy?.deny ?? []).entries())
      if (origin !== undefined) label(origin, ['policy', 'deny', index, 'origin']);
    for (const [index, { origin, require }] of (policy?.signatures ?? []).entries()) {
      // An unnamed origin is known by its address.
      if (origin !== undefined && labelPattern.test(origin)) label(origin, ['policy', 'signatures', index, 'origin']);
      for (const [at, name] of require.entries())
        if (!Object.hasOwn(signers ?? {}, name))
          refuse(['policy', 'signatures', index, 'require', at], `unknown signer "${name}"`, 'add it to "signers"');
    }
    const anonymous = access?.anonymous;
    if (anonymous !== undefined && !Object.hasOwn(profiles ?? {}, anonymous))
      refuse(['access', 'anonymous'], `unknown profile "${anonymous}"`, 'add it to "profiles"');
    const oidc = access?.oidc;
    if (oidc === undefined) return;
    if (access?.url === undefined)
      refuse(
        ['access'],
        '"oidc" needs "url"',
        'add the address that clients use, such as "https://skills.example.com"',
      );
    for (const [index, { claims }] of [oidc].flat().entries())
      for (const [place, { profile }] of claims.entries())
        if (profile !== undefined && !Object.hasOwn(profiles ?? {}, profile))
          refuse(
            ['access', 'oidc', ...(Array.isArray(oidc) ? [index] : []), 'claims', place, 'profile'],
            `unknown profile "${profile}"`,
            'add it to "profiles"',
          );
  })
  .meta({
    title: 'Skillwire configuration',
    description: 'Configuration of "skillwire serve".',
    $id: configurationSchemaId,
  });

/**
 * Parses the text of a configuration. All faults are reported together, each with position, rule and remedy.
 *
 * @throws SkillwireError CONFIG_INVALID with `data.faults`
 */
export function parseConfiguration(text: string, file: string): Configuration {
  const read = checkConfiguration(text, file, schema);
  const {
    origins,
    rules = [],
    pin,
    policy,
    install,
    profiles,
    access,
    search,
    surfaces,
    store,
    limits: bounds,
    agents,
    signers,
  } = read;
  return {
    origins: Object.entries(origins).map(([label, origin]) => configuredOrigin(label, origin)),
    rules,
    ...definedFields({
      pin: pin?.map(configuredPin),
      policy: policy === undefined ? undefined : configuredPolicy(policy),
      install,
      signers: signers === undefined ? undefined : configuredSigners(signers),
      profiles: profiles === undefined ? undefined : configuredProfiles(profiles),
      access: access === undefined ? undefined : configuredAccess(access),
      search: search === undefined ? undefined : configuredSearch(search),
      surfaces: surfaces === undefined ? undefined : configuredSurfaces(surfaces),
      store,
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
