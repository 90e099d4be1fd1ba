/** Every command's output: with `--json` it follows the published schema; in no form does it contain a control sequence. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { outputJsonSchemas, outputSchemas } from '../../scripts/output-schemas/output-schemas.ts';
import { cliInProcess } from '../cli-in-process.ts';
import { hasPostgres } from '../postgres-server.ts';
import { type Played, playCommands } from './played-commands.ts';
import { playInstalling } from './played-installs.ts';

const folder = join(import.meta.dirname, '../../schema/output');
/** Printed line by line, each line a value. */
const lines = new Set(['audit']);

let json: readonly Played[];
let plain: readonly Played[];
let commands: readonly string[];
const helps: { readonly argv: readonly string[]; readonly text: string }[] = [];

beforeAll(async () => {
  json = await playCommands(true, playInstalling);
  plain = await playCommands(false, playInstalling);
  commands = await commandsOfHelp();
}, 900_000);

/** Every command of the help, with a subcommand after a dash, so that a new command cannot be forgotten here. */
async function commandsOfHelp(): Promise<readonly string[]> {
  const cli = cliInProcess();
  const below = async (...argv: string[]): Promise<readonly string[]> => {
    const { out } = await cli.run(...argv, '--help', '--all');
    helps.push({ argv, text: out });
    const listed = [...out.matchAll(/^ {2}([a-z][a-z-]*)(?: \S+)* {2,}\S/gm)].map(([, name = '']) => name);
    const subcommands = argv.length === 0 || /^Commands:$/m.test(out) ? listed.filter((name) => name !== 'help') : [];
    if (subcommands.length === 0) return [argv.join('-')];
    return (await Promise.all(subcommands.map((name) => below(...argv, name)))).flat();
  };
  const found = await below();
  cli.remove();
  return found;
}

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
  test('is tested and described for every command and subcommand, in both forms', () => {
    const expected = [...commands, 'error', 'version'].sort();
    expect(commands.length).toBeGreaterThan(40);
    const playable = expected.filter((name) => hasPostgres || name !== 'state-move');
    for (const played of [json, plain]) expect([...new Set(played.map(({ name }) => name))].sort()).toEqual(playable);
    expect(Object.keys(outputSchemas).sort()).toEqual(expected);
  });

  test('is one value that the schema in the source describes completely', () => {
    const faults = json.flatMap((played) =>
      valuesOf(played).flatMap((value) =>
        (outputSchemas[played.name]?.safeParse(value).error?.issues ?? []).map((issue) => [shown(played), issue]),
      ),
    );
    expect(faults).toEqual([]);
  });

  test('is valid under the published schema', () => {
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

  test('is described by exactly the published schemas', () => {
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
  test('contains no escape byte or other control sequence without a terminal', () => {
    for (const played of [...json, ...plain])
      for (const stream of ['stdout', 'stderr'] as const) {
        // The content of a file is printed unchanged.
        if (played.name === 'read' && stream === 'stdout') continue;
        const found = [...played[stream]].find((character) => /[^\P{Cc}\n\t]/u.test(character));
        expect(found, `${shown(played)}, ${stream}`).toBeUndefined();
      }
  });

  test('of help contains none either', () => {
    expect(helps.length).toBeGreaterThan(commands.length);
    for (const { argv, text } of helps) expect(text, argv.join(' ')).not.toMatch(/[^\P{Cc}\n]/u);
  });

  test('prints something for people in every case', () => {
    for (const played of plain) expect(played.stdout + played.stderr, shown(played)).not.toBe('');
  });
});
