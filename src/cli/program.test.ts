import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import type { Cli } from './cli.ts';
import { runProgram } from './program.ts';
import { wantsJson } from './render/wants-json.ts';

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

  const commands = ['serve', 'validate', 'list', 'show', 'read', 'approve', 'diff', 'revoke', 'approvals', 'enable'];
  const others = ['connect', 'doctor', 'agent-help', 'pack', 'disable', 'audit', 'origins', 'cache', 'templates'];
  const nested = ['add', 'remove', 'list'].map((name) => ['origins', name]);
  const ofCache = ['list', 'verify', 'gc', 'clear'].map((name) => ['cache', name]);
  const helps = [
    ['--help'],
    ...[...commands, ...others].map((name) => [name, '--help']),
    ['validate', '-h'],
    ['help', 'serve'],
    ['help', 'list'],
    ...[...nested, ...ofCache].map((words) => [...words, '--help']),
  ];

  test.each(helps.map((argv) => [argv]))('prints help with examples on stdout for %j', async (argv) => {
    const { cli, out, err } = recorder();
    expect(await runProgram(argv, cli)).toBe(0);
    expect(out()).toContain('Examples:\n');
    expect(out()).not.toContain('\x1b');
    expect(err()).toBe('');
    const whole = recorder();
    expect(await runProgram([...argv, '--all'], whole.cli)).toBe(0);
    expect(whole.out()).toContain('Exit codes:\n');
  });

  test('shows the options of the command and the global ones in its help', async () => {
    const { cli, out } = recorder();
    await runProgram(['validate', '--help', '--all'], cli);
    expect(out()).toContain('Usage: skillwire validate [[LABEL=]DIR...] [options]\n');
    const own = ['--config', '--no-nested', '--format', '--strict', '--files', '--output'];
    for (const option of [...own, '--json', '--no-color']) expect(out()).toContain(option);
  });

  test('lists all commands in its help', async () => {
    const { cli, out } = recorder();
    await runProgram(['--help', '--all'], cli);
    for (const name of [...commands, ...others]) expect(out()).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(out()).toMatch(/^ {2}serve .*HTTP or stdio$/m);
    expect(out().indexOf('\nCommands:\n')).toBeLessThan(out().indexOf('\nTrust:\n'));
    expect(out().indexOf('\nTrust:\n')).toBeLessThan(out().indexOf('\nOrigins and state:\n'));
  });

  test('shows six commands first, and names the others', async () => {
    const { cli, out } = recorder();
    await runProgram(['help'], cli);
    const [, first = '', rest = ''] = /^Commands:\n((?: {2}.*\n)+)\nMore commands:\n((?: {2}.*\n)+)/m.exec(out()) ?? [];
    expect(first.match(/^ {2}\w+/gm)?.map((name) => name.trim())).toEqual([
      'serve',
      'add',
      'update',
      'list',
      'validate',
      'verify',
    ]);
    for (const name of ['show', 'connect', 'agent-help', 'token']) expect(rest).toMatch(new RegExp(`\\b${name}\\b`));
  });

  test('prints ten lines without a command', async () => {
    const { cli, out, err } = recorder();
    expect(await runProgram([], cli)).toBe(0);
    expect(out().split('\n').length - 1).toBe(10);
    expect(
      Math.max(
        ...out()
          .split('\n')
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(80);
    expect(err()).toBe('');
  });

  test.each([[['--json']], [['--no-color']]])('refuses %j without a command and shows the help', async (argv) => {
    const message = await refusal(...argv);
    expect(message).toContain('Missing command.\n\nUsage: skillwire <command> [options]\n');
    expect(message).toContain('Commands:\n');
  });

  test.each([[['help', 'validat']], [['validat', '--help']], [['validat', '--help', '--json']]])(
    'suggests the closest command for %j',
    async (argv) => {
      expect(await refusal(...argv)).toContain('Did you mean validate?');
    },
  );

  test('suggests the closest command', async () => {
    expect(await refusal('validat', './x')).toBe(
      `Unknown command 'validat'. Did you mean validate? Run "skillwire --help".`,
    );
  });

  test.each([
    ['freeze', 'pin'],
    ['unfreeze', 'unpin'],
  ])('accepts %s for %s, and does not list it', async (former, current) => {
    const program = recorder();
    await runProgram(['--help'], program.cli);
    expect(program.out()).not.toContain('freeze');
    const { cli, out } = recorder();
    expect(await runProgram([former, '--help'], cli)).toBe(0);
    expect(out()).toContain(`Usage: skillwire ${current} `);
    expect(await refusal(former)).toBe(await refusal(current));
  });

  test.each([
    [['validate'], 'Nothing to validate', 'Run "skillwire validate ./skills"'],
    [['serve'], 'Nothing to serve', 'Run "skillwire serve ./skills"'],
    [['validate', '.', '--formt', 'json'], 'Did you mean --format?', 'skillwire validate --help'],
    [['validate', '.', '--format', 'xml'], 'Allowed choices are text, json, sarif', 'skillwire validate --help'],
    [['validate', '.', '--format', 'sarif', '--json'], 'exclude each other', '--json'],
    [['serve', '--nope'], "Unknown option '--nope'", 'skillwire serve --help'],
    [['serve', '--port', '80'], "Unknown option '--port'", 'Use --http [HOST:]PORT'],
    [['serve', '.', '--port=80'], "Unknown option '--port=80'", 'Use --http [HOST:]PORT'],
    [['serve', '.', '--host', '0.0.0.0'], "Unknown option '--host'", 'Use --http [HOST:]PORT'],
    [['serve', '-p', '80'], "Unknown option '-p'", 'Use --http [HOST:]PORT'],
    [['list', '.', '--port', '80'], "Unknown option '--port'. Run", 'skillwire list --help'],
    [['serve', '--stdio', '--http', '80'], 'cannot be used with', 'skillwire serve --help'],
    [['serve', '--stdio', '--allowed-host', 'a'], 'cannot be used with', '--allowed-host'],
    [['serve', '--stdio', '--allowed-origin', 'https://a'], 'cannot be used with', '--allowed-origin'],
    [['serve', '--mdp-token-env', 'A'], 'does nothing without --mdp', '--mdp-token-env'],
    [['serve', '--mdp-forward-header', 'cookie'], 'does nothing without --mdp', '--mdp-forward-header'],
    [['serve', '--mdp-content-type', 'text/html'], 'does nothing without --mdp', '--mdp-content-type'],
    [['serve', '--mdp', '--mdp-token-env', 'no-name'], 'name of an environment variable', '--mdp-token-env'],
    [['serve', '--mdp', '--mdp-token-env', 'SKILLWIRE_NOT_SET'], 'is not set', 'SKILLWIRE_NOT_SET'],
    [['serve', '--mdp', '--mdp-forward-header', 'a b'], 'is not a header name', 'cookie'],
    [['serve', '--mdp', '--mdp-content-type', 'html'], 'is not a media type', 'text/markdown'],
    [['serve', '--mdp-port', 'http://a'], 'is not an address to listen on', 'HOST:PORT'],
    [['serve', '--stdio', '--allow-unauthenticated-remote'], 'cannot be used with', '--allow-unauth'],
    [['serve', '--http', 'x'], 'is not an address to listen on', 'HOST:PORT'],
    [['serve', '--allowed-host', 'https://a'], 'is not a host name', 'skills.example.com'],
    [['serve', '--allowed-host', 'a/b'], 'is not a host name', 'without scheme and path'],
    [['serve', '--allowed-origin', 'a.example'], 'is not a web origin', 'https://example.com'],
    [['serve', '--allowed-origin', 'https://a.example/x'], 'is not a web origin', 'without a path'],
    [['serve', 'git:ext::evil'], 'Cannot read', 'https://HOST'],
    [
      ['serve', './gone', '--token-env', 'T', 'mcp:https://a.example', 'https://b.example'],
      'to 2 servers',
      'one by one',
    ],
    [['validate', 'stdio:x'], 'cannot be checked', './skills'],
    [['verify', './a', './b'], 'One origin is verified at a time', '--parity'],
    [['verify', '--parity', './a'], '--parity compares origins', 'Name two or more'],
    [['verify', '--parity', './a', './b', '--format', 'sarif'], '--parity works only with', 'Remove'],
    [['list'], 'nothing to read', 'skillwire list ./skills'],
    [['list', 'git:ext::evil'], 'Cannot read', 'https://HOST'],
    [['show', '.'], "Missing required argument 'skill'", 'skillwire show --help'],
    [['read', '.', 'a', 'b', 'c'], 'Too many arguments', 'skillwire read --help'],
    [['approve', '.', 'a', '--yes'], 'argument missing', 'skillwire approve --help'],
    [['list', '.', '--era', 'old'], 'Allowed choices are auto, modern, legacy', 'skillwire list --help'],
    [['audit', '--since', 'now'], 'is not a date', '2026-11-01'],
    [['audit', '--since', '2026-13-45'], 'is not a date', '2026-11-01'],
    [['cache'], 'Missing command', 'verify'],
    [['origins', 'ad', 'x=.'], 'Did you mean add?', 'skillwire origins --help'],
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
