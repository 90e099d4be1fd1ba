/**
 * The `--json` output of every command, as schemas: written to `schema/output/` for programs, and compared with what commands
 * print by `test/e2e/json-output.test.ts`. A schema has the name of its command, with the subcommand after a dash. Objects are closed here, so
 * that tests find fields without a description. The published schemas are open, because a later version may add fields.
 */
import { z } from 'zod';
import { schemaId } from '../../src/project.ts';
import { installedDiff, installingOutputs } from './installing-outputs.ts';
import { publishingOutputs } from './publishing-outputs.ts';
import { errorCode, readingOutputs } from './reading-outputs.ts';
import { setupOutputs } from './setup-outputs.ts';
import { approvedDiff, trustOutputs } from './trust-outputs.ts';

const error = z
  .strictObject({
    error: z.strictObject({ code: errorCode, message: z.string(), data: z.looseObject({}) }),
  })
  .meta({ description: 'Printed to stderr if a command fails.' });

const version = z.strictObject({ version: z.string() }).meta({ description: 'skillwire --version --json' });

export const outputSchemas: Readonly<Record<string, z.ZodType>> = {
  ...readingOutputs,
  ...trustOutputs,
  ...publishingOutputs,
  ...setupOutputs,
  ...installingOutputs,
  diff: z.union([approvedDiff, installedDiff]),
  error,
  version,
};

/** The published form, by name. */
export function outputJsonSchemas(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(outputSchemas)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => {
        const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'output' });
        const $id = schemaId(`output/${name}.json`);
        return [
          name,
          {
            $schema,
            $id,
            title: `skillwire ${name.replace(/^(origins|cache|token|deny|config|state)-/, '$1 ')} --json`,
            ...(opened(rest) as object),
          },
        ];
      }),
  );
}

/** The same schema with open objects. */
function opened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(opened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, of]) => !(key === 'additionalProperties' && of === false))
      .map(([key, of]) => [key, opened(of)]),
  );
}
