import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { addConnectionOptions, type ConnectionOptions } from './connection-options.ts';

function parse(...argv: string[]): ConnectionOptions {
  const command = addConnectionOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return command.parse(argv, { from: 'user' }).opts<ConnectionOptions>();
}

function refusal(...argv: string[]): string {
  try {
    parse(...argv);
  } catch (error) {
    if (error instanceof SkillwireError) return error.message;
    throw error;
  }
  throw new Error(`accepted: ${argv.join(' ')}`);
}

describe('addConnectionOptions()', () => {
  test('reads all options', () => {
    const argv =
      '--timeout 5000 --token-env T --header X-Key=K --header b=B_2 --insecure-http --era legacy --state s --config c --pass-env P --pass-env Q --assume-skills --dialect fastmcp --forbid-dialect skilljack --forbid-dialect instructions';
    expect(parse(...argv.split(' '))).toEqual({
      timeout: 5000,
      tokenEnv: 'T',
      header: [
        { name: 'X-Key', variable: 'K' },
        { name: 'b', variable: 'B_2' },
      ],
      insecureHttp: true,
      era: 'legacy',
      state: 's',
      config: 'c',
      passEnv: ['P', 'Q'],
      assumeSkills: true,
      dialect: 'fastmcp',
      forbidDialect: ['skilljack', 'instructions'],
    });
    expect(refusal('--forbid-dialect', 'nope')).toContain('Use one of skills-extension, skill-index');
    expect(parse()).toEqual({});
  });

  test.each([['0'], ['-1'], ['1.5'], ['5s'], ['3600001'], ['1e3'], ['']])('refuses the timeout %j', (text) => {
    expect(refusal('--timeout', text)).toContain('milliseconds from 1 to 3600000');
  });

  test('refuses a token in place of a variable, and does not repeat it', () => {
    const message = refusal('--token-env', 'eyJhbGciOi.secret');
    expect(message).toContain('the name of an environment variable, not its value');
    expect(message).not.toContain('eyJ');
  });

  test.each([['X-Key'], ['X Key=K'], ['=K'], ['X-Key='], ['X-Key=my secret'], ['X:Y=K'], ['X\r\nY=K']])(
    'refuses the header %j, and does not repeat it',
    (text) => {
      const message = refusal('--header', text);
      expect(message).toContain('NAME=ENVVAR');
      expect(message).not.toContain('secret');
    },
  );

  test.each([['Host=H'], ['content-type=H'], ['Mcp-Session-Id=H']])('refuses the protocol header %j', (text) => {
    expect(refusal('--header', text)).toContain('is reserved by the protocol');
  });

  test('refuses a value in place of a variable for --pass-env', () => {
    const message = refusal('--pass-env', 'KEY=secret');
    expect(message).toContain('not its value');
    expect(message).not.toContain('secret');
  });

  test('refuses a header that is given twice', () => {
    expect(refusal('--header', 'X-Key=A', '--header', 'x-key=B')).toContain('twice');
  });
});
