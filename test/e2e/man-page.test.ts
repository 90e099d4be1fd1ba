/** The man page of the package has the help of every command, and formatters of man pages accept it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommandHelp } from '../../src/cli/help/help-data.ts';

const project = join(import.meta.dirname, '../..');
const { manPage } = (await import(new URL('../../scripts/man-page.mjs', import.meta.url).href)) as {
  manPage: (help: CommandHelp, version: string) => string;
};
const { man, version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
  man: string;
  version: string;
};
const page = readFileSync(join(project, man), 'utf8');
const printed = spawnSync(process.execPath, [join(project, 'dist/cli/main.js'), '--help', '--json'], {
  encoding: 'utf8',
});
const help = JSON.parse(printed.stdout) as CommandHelp;
const all = (command: CommandHelp): readonly CommandHelp[] => [command, ...command.commands.flatMap(all)];

/** The text as a reader sees it, without macros. */
const plain = page
  .replaceAll(/^\.(?:SH|SS|TH) /gm, '')
  .replaceAll(/\\f[BR]|\\&/g, '')
  .replaceAll('\\-', '-')
  .replaceAll('\\(aq', "'")
  .replaceAll('\\(ga', '`')
  .replaceAll('\\[u2026]', '…')
  .replaceAll('\\(dq', '"')
  .replaceAll('\\e', '\\');

test('the page of the package is the one of this build', () => {
  expect(page).toBe(manPage(help, version));
  expect(page).toMatch(new RegExp(`^\\.TH SKILLWIRE 1 "" "skillwire ${version}" "Skillwire"$`, 'm'));
});

describe('the page has the whole help', () => {
  test.each(all(help).map((command) => [command.name, command] as const))('of %s', (_, command) => {
    expect(plain).toContain(`\n${command.usage}\n`);
    for (const { flags, description } of command.options) {
      expect(plain).toContain(`\n${flags}\n`);
      expect(plain).toContain(description);
    }
    for (const { lines } of command.sections)
      for (const line of lines) for (const word of line.trim().split(/ {2,}/)) expect(plain).toContain(word);
  });

  test('but nothing hidden', () => {
    expect(plain).not.toMatch(/skillwire complete\b/);
  });
});

test('text of a help is never a command of the formatter', () => {
  const hostile: CommandHelp = {
    version: 1,
    name: 'skillwire',
    usage: '.sy reboot',
    summary: "'so /etc/passwd",
    arguments: [],
    options: [{ flags: '--a\\*(b "c"', description: '.x', rare: false, required: true, choices: ['é', 'b'] }],
    sections: [{ heading: 'Examples', lines: ['  .so /etc/passwd', "  'sy reboot"] }],
    commands: [],
  };
  const lines = manPage(hostile, '1"').split('\n');
  const macros = lines.filter((line) => /^[.']/.test(line)).map((line) => line.split(' ')[0]);
  expect([...new Set(macros)].sort()).toEqual(['.PP', '.RE', '.RS', '.SH', '.TH', '.TP', '.ad', '.fi', '.nf', '.nh']);
  expect(lines).toContain('\\fB\\-\\-a\\e*(b "c"\\fR');
  expect(lines).toContain('\\&.x (required; \\[u00E9], b).');
  expect(lines).toContain('.TH SKILLWIRE 1 "" "skillwire 1\\(dq" "Skillwire"');
});

const formatters = [
  ['groff', ['-man', '-ww', '-z', '-Tutf8']],
  ['mandoc', ['-T', 'lint', '-W', 'error']],
] as const;

describe.each(formatters)('%s', (program, args) => {
  const isThere = spawnSync(program, ['--version']).error === undefined;

  test.runIf(isThere)('accepts the page without a warning', () => {
    const { status, stdout, stderr } = spawnSync(program, [...args, join(project, man)], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
