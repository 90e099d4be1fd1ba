/**
 * The reading commands against every misbehaving server. Each command ends with an exit code of the table, and prints nothing that
 * acts on a terminal (sec:O-1).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cli } from '../../src/cli/cli.ts';
import { runProgram } from '../../src/cli/program.ts';
import { renderError } from '../../src/cli/render/error.ts';
import { misbehavingServer, misbehaviors } from '../../src/testing/misbehaving/misbehaving-server.ts';

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'skillwire-host-cli-'));
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

async function run(argv: readonly string[]): Promise<Outcome> {
  let out = '';
  let err = '';
  const text = (data: string | Uint8Array): string => (typeof data === 'string' ? data : `<${data.length} bytes>`);
  const cli: Cli = {
    version: '1',
    cwd: home,
    env: { SKILLWIRE_HOME: home },
    stdin: {},
    stdout: { isTTY: true, columns: 100, write: (data) => (out += text(data)) },
    stderr: { write: (data) => (err += text(data)) },
  };
  try {
    return { exitCode: await runProgram([...argv, '--no-color'], cli), out, err };
  } catch (error) {
    const rendered = renderError(error, { json: argv.includes('--json'), debug: false });
    return { exitCode: rendered.exitCode, out, err: err + rendered.text };
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const acting = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
const known = [0, 1, 2, 3, 4, 5, 6, 7];

const overHttp = misbehaviors.filter(({ transports }) => transports.includes('http'));

describe.each(overHttp.map(({ id, target, kind }) => [id, target, kind] as const))('%s', (id, target, kind) => {
  test('does not crash list, show and read', async () => {
    const server = await misbehavingServer({ behavior: id });
    try {
      const origin = `mcp:${server.url}`;
      // If a busy machine makes an honest answer take longer, less is tested and nothing fails.
      const options = ['--timeout', '600'];
      for (const argv of [
        ['list', origin],
        ...(kind === 'unicode' || kind === 'entry' ? [['list', origin, '--json']] : []),
        ['show', origin, target, '--fetch'],
        ['read', origin, target],
      ]) {
        const { exitCode, out, err } = await run([...argv, ...options]);
        expect(known, `${argv[0]}: ${err}`).toContain(exitCode);
        expect(out, argv[0]).not.toMatch(acting);
        expect(err, argv[0]).not.toMatch(acting);
        expect(err, argv[0]).not.toContain('SKILLWIRE_DEBUG');
        if (argv.includes('--json')) JSON.parse(out);
      }
    } finally {
      await server.close();
    }
  });
});
