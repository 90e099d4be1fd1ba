/** Every command's output: with `--json` it follows the published schema; in no form does it hold a control sequence. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { outputJsonSchemas, outputSchemas } from '../../src/cli/output/output-schemas.ts';
import { cliFolder } from './cli-process.ts';
import { type Played, playCommands } from './played-commands.ts';
import { playInstalling } from './played-installs.ts';

const folder = join(import.meta.dirname, '../../schema/output');
/** Printed line by line, each line a value. */
const lines = new Set(['audit']);

let json: readonly Played[];
let plain: readonly Played[];

beforeAll(async () => {
  json = await playCommands(true, playInstalling);
  plain = await playCommands(false, playInstalling);
}, 600_000);

const shown = ({ argv }: Played): string => argv.join(' ');

function valuesOf(played: Played): readonly unknown[] {
  const { name, stdout, stderr, exitCode } = played;
  const text = name === 'error' ? stderr : stdout;
  const values = lines.has(name) ? text.trimEnd().split('\n') : [text];
  return values.map((value) => {
    try {
      return JSON.parse(value) as unknown;
    } catch (error) {
      throw new Error(`"${shown(played)}" (${exitCode}) printed ${JSON.stringify({ stdout, stderr })}`, {
        cause: error,
      });
    }
  });
}

describe('the JSON of commands', () => {
  test('is played for every command of the program', async () => {
    const cli = cliFolder();
    const { stdout } = await cli.run(['--help']);
    cli.remove();
    const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm)].map(([, name]) => name ?? '');
    expect(commands.length).toBeGreaterThan(20);
    const names = new Set(json.map(({ name }) => name.replace(/^(origins|cache|token|deny|config|state)-.*/, '$1')));
    expect(commands.filter((name) => name !== 'help' && !names.has(name))).toEqual([]);
    expect([...new Set(json.map(({ name }) => name))].sort()).toEqual(Object.keys(outputSchemas).sort());
  });

  test('is one value that the schema in the source describes completely', () => {
    const faults = json.flatMap((played) =>
      valuesOf(played).flatMap((value) =>
        (outputSchemas[played.name]?.safeParse(value).error?.issues ?? []).map((issue) => [shown(played), issue]),
      ),
    );
    expect(faults).toEqual([]);
  });

  test('is valid under the schema that is published', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const played of json) {
      const validate = ajv.compile(JSON.parse(readFileSync(join(folder, `${played.name}.json`), 'utf8')));
      for (const value of valuesOf(played)) {
        expect(validate(value), `${shown(played)}: ${JSON.stringify(validate.errors)}`).toBe(true);
        if (!Array.isArray(value)) expect(validate([value]), 'something else').toBe(false);
      }
      ajv.removeSchema();
    }
  });

  test('is described by exactly the schemas that are published', () => {
    const published = Object.fromEntries(
      readdirSync(folder).map((name) => [
        name.replace(/\.json$/, ''),
        JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown,
      ]),
    );
    expect(published).toEqual(JSON.parse(JSON.stringify(outputJsonSchemas())));
  });
});

describe('the output of commands', () => {
  test('holds no escape byte and no other control sequence where nobody looks at a terminal', () => {
    for (const played of [...json, ...plain])
      for (const stream of ['stdout', 'stderr'] as const) {
        // What is read of a file is given as it is.
        if (played.name === 'read' && stream === 'stdout') continue;
        const found = [...played[stream]].find((character) => /[^\P{Cc}\n\t]/u.test(character));
        expect(found, `${shown(played)}, ${stream}`).toBeUndefined();
      }
  });

  test('tells people something in every case', () => {
    for (const played of plain) expect(played.stdout + played.stderr, shown(played)).not.toBe('');
  });
});
