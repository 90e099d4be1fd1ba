import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import type { Cli } from './cli.ts';
import { runProgram, wantsJson } from './program.ts';

function recorder(): { cli: Cli; out: () => string; err: () => string } {
  let out = '';
  let err = '';
  const cli: Cli = {
    version: '1.2.3',
    cwd: resolve('/'),
    env: { SKILLWIRE_HOME: resolve('/no-such-folder') },
    stdin: {},
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  };
  return { cli, out: () => out, err: () => err };
}

async function refusal(...argv: string[]): Promise<string> {
  const { cli, out, err } = recorder();
  try {
    await runProgram(argv, cli);
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    expect(error.exitCode).toBe(2);
    expect(out() + err()).toBe('');
    return error.message;
  }
  throw new Error(`accepted: ${argv.join(' ')}`);
}

describe('runProgram()', () => {
  test.each([['--version'], ['-V']])('prints the version for %s', async (option) => {
    const { cli, out } = recorder();
    expect(await runProgram([option], cli)).toBe(0);
    expect(out()).toBe('1.2.3\n');
  });

  test.each([[['--version', '--json']], [['--json', '-V']]])('prints the version as JSON for %j', async (argv) => {
    const { cli, out } = recorder();
    expect(await runProgram(argv, cli)).toBe(0);
    expect(out()).toBe('{"version":"1.2.3"}\n');
  });

  test.each([[['--help']], [['serve', '--help']], [['validate', '-h']], [['help', 'serve']], [['help', 'validate']]])(
    'prints help with examples on stdout for %j',
    async (argv) => {
      const { cli, out, err } = recorder();
      expect(await runProgram(argv, cli)).toBe(0);
      expect(out()).toContain('Examples:\n');
      expect(out()).toContain('Exit codes:\n');
      expect(out()).not.toContain('\x1b');
      expect(err()).toBe('');
    },
  );

  test('shows the options of the command and the global ones in its help', async () => {
    const { cli, out } = recorder();
    await runProgram(['validate', '--help'], cli);
    expect(out()).toContain('Usage: skillwire validate [[LABEL=]DIR...] [options]\n');
    const own = ['--config', '--no-nested', '--format', '--strict', '--files', '--output'];
    for (const option of [...own, '--json', '--no-color']) expect(out()).toContain(option);
  });

  test('lists all commands in its help', async () => {
    const { cli, out } = recorder();
    await runProgram(['--help'], cli);
    expect(out()).toMatch(/^ {2}serve .*HTTP or stdio$/m);
    expect(out()).toMatch(/^ {2}validate .*published$/m);
  });

  test('refuses a missing command and shows the help', async () => {
    const message = await refusal();
    expect(message).toContain('no command is given');
    expect(message).toContain('Commands:\n');
  });

  test('suggests the closest command', async () => {
    expect(await refusal('validat', './x')).toBe(
      `unknown command 'validat' (Did you mean validate?); run "skillwire --help"`,
    );
  });

  test.each([
    [['validate'], 'nothing to validate', 'run "skillwire validate ./skills"'],
    [['serve'], 'nothing to serve', 'run "skillwire serve ./skills"'],
    [['validate', '.', '--formt', 'json'], '(Did you mean --format?)', 'skillwire validate --help'],
    [['validate', '.', '--format', 'xml'], 'Allowed choices are text, json, sarif', 'skillwire validate --help'],
    [['validate', '.', '--format', 'sarif', '--json'], 'two formats', '--json'],
    [['serve', '--nope'], "unknown option '--nope'", 'skillwire serve --help'],
    [['serve', '--stdio', '--http', '80'], 'cannot be used with', 'skillwire serve --help'],
    [['serve', '--stdio', '--allowed-host', 'a'], 'cannot be used with', '--allowed-host'],
    [['serve', '--stdio', '--allowed-origin', 'https://a'], 'cannot be used with', '--allowed-origin'],
    [['serve', '--stdio', '--allow-unauthenticated-remote'], 'cannot be used with', '--allow-unauth'],
    [['serve', '--http', 'x'], 'no address to listen on', 'HOST:PORT'],
    [['serve', '--allowed-host', 'https://a'], 'is no host name', 'skills.example.com'],
    [['serve', '--allowed-host', 'a/b'], 'is no host name', 'without scheme and path'],
    [['serve', '--allowed-origin', 'a.example'], 'is no web origin', 'https://example.com'],
    [['serve', '--allowed-origin', 'https://a.example/x'], 'is no web origin', 'without a path'],
  ])('refuses %j', async (argv, said, remedy) => {
    const message = await refusal(...argv);
    expect(message).toContain(said);
    expect(message).toContain(remedy);
  });
});

describe('wantsJson()', () => {
  test.each([
    [['--json', 'serve'], true],
    [['validate', '.', '--json'], true],
    [['validate', '.', '--format', 'json'], true],
    [['validate', '.', '--format=json'], true],
    [['validate', '.', '--format', 'sarif'], false],
    [['validate', '--', '--json'], false],
    [[], false],
  ])('reads %j', (argv, expected) => {
    expect(wantsJson(argv)).toBe(expected);
  });
});
