/**
 * `skillwire.json`: its schema, its reader and the JSON Schema that editors use, all from one definition. Strict JSON and
 * strict keys: a misspelled key is an error that names the allowed ones, never a setting that silently does nothing. Pure:
 * folders are kept as written, relative ones are relative to the file.
 */
import { z } from 'zod';
import { checkConfiguration } from './configuration-faults.ts';
import { labelLength, labelPattern, labelRule, originPrefix } from './origin.ts';
import { spanMs } from './time-span.ts';

export interface Configuration {
  /** In the order of the file. */
  readonly origins: readonly ConfiguredOrigin[];
  /** In the order of the file. */
  readonly rules: readonly ConfiguredRule[];
  /** In the order of the file; absent where the file has none. */
  readonly freeze?: readonly ConfiguredFreeze[];
}

export interface ConfiguredFreeze {
  /** Pattern on the path of a live skill, in the manner of `.gitignore`. */
  readonly match: string;
  /** Absent: until it is unfrozen. */
  readonly forMs?: number;
}

export interface ConfiguredOrigin {
  readonly label: string;
  /** As written. */
  readonly folder: string;
  readonly nested?: boolean;
}

export interface ConfiguredRule {
  /** Pattern on the path of a skill, in the manner of `.gitignore`. */
  readonly match: string;
  readonly listed: boolean;
}

export const configurationSchemaId = 'https://skillwire.dev/schema/skillwire.json';

const folderText = z
  .string({ error: 'a folder is a text' })
  .regex(/^[^\0]+$/, { error: 'a folder is a text of at least one character, without NUL' })
  .refine((text) => originPrefix(text) === undefined, { error: 'this version serves folders only' })
  .meta({
    description: 'A folder that holds skills. A relative one is relative to this file; "~/" is the home folder.',
    examples: ['./skills', '../team/skills'],
  });

const folderObject = z
  .strictObject({
    folder: folderText,
    nested: z
      .boolean({ error: '"nested" is true or false' })
      .optional()
      .meta({ description: 'Whether skills inside the folder of another skill are served too.' }),
  })
  .meta({ description: 'A folder with settings.' });

const pattern = z
  .string({ error: 'a pattern is a text' })
  .regex(/^(?![#!])(?!\s*$)(?!\/+$)[^\p{Cc}]*[^\p{Cc}\\]$/u, {
    error:
      'a pattern is one line that is not blank, not only "/", does not begin with "#" or "!" and does not end in "\\"',
  })
  .meta({
    description: 'Pattern on the path of a skill, in the manner of .gitignore.',
    examples: ['drafts/', '*-internal', 'team-a/**'],
  });

const spanError = '"for" is days, hours or minutes, for example "30d", "12h" or "45m"';

const schema = z
  .strictObject({
    $schema: z
      .string({ error: '"$schema" is a text' })
      .optional()
      .meta({ description: 'Address of this schema, for editors.', examples: [configurationSchemaId] }),
    origins: z
      .record(
        z.string().max(labelLength, { error: labelRule }).regex(labelPattern, { error: labelRule }),
        z.union([folderText, folderObject], { error: 'an origin is a folder, as a text or as {"folder": "..."}' }),
        { error: '"origins" is an object of labels and folders' },
      )
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
    freeze: z
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
          .meta({ description: 'Live skills that are frozen as soon as they are seen.' }),
        { error: '"freeze" is a list' },
      )
      .optional()
      .meta({ description: 'Which live skills are served as a snapshot with digests. Only with --mdp.' }),
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
  const { origins, rules = [], freeze } = checkConfiguration(text, file, schema);
  return {
    origins: Object.entries(origins).map(([label, origin]) =>
      typeof origin === 'string'
        ? { label, folder: origin }
        : {
            label,
            folder: origin.folder,
            ...(origin.nested === undefined ? {} : { nested: origin.nested }),
          },
    ),
    rules,
    ...(freeze === undefined ? {} : { freeze: freeze.map(frozenRule) }),
  };
}

function frozenRule({
  match,
  for: span,
}: {
  readonly match: string;
  readonly for?: string | undefined;
}): ConfiguredFreeze {
  const forMs = span === undefined ? undefined : spanMs(span);
  return forMs === undefined ? { match } : { match, forMs };
}

/** The JSON Schema (draft 2020-12) of `skillwire.json`. */
export function configurationJsonSchema(): object {
  const { $schema, $id, title, description, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12' });
  return { $schema, $id, title, description, ...rest };
}
