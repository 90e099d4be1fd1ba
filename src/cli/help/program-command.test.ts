import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Cli } from '../cli.ts';
import { runProgram } from '../program.ts';
import type { CommandHelp } from './help-data.ts';
import { groupOrder } from './option-groups.ts';
import { helpColumns, helpLines, ProgramCommand } from './program-command.ts';

async function helpOf(...argv: readonly string[]): Promise<string> {
  let out = '';
  const ignored = { write: () => {} };
  const stdout = { write: (text: string | Uint8Array) => (out += String(text)) };
  const cli: Cli = { version: '1.2.3', cwd: resolve('/'), env: {}, stdin: {}, stdout, stderr: ignored };
  expect(await runProgram(argv, cli)).toBe(0);
  return out;
}

function withSubcommands(command: CommandHelp): readonly CommandHelp[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

describe('the help of every command', () => {
  let commands: readonly CommandHelp[];
  beforeAll(async () => {
    commands = withSubcommands(JSON.parse(await helpOf('--help', '--json')) as CommandHelp);
    expect(commands.length).toBeGreaterThan(55);
  });

  test('fits in 40 lines of 80 columns', async () => {
    for (const { name } of commands) {
      const text = await helpOf(...name.split(' ').slice(1), '--help');
      const lines = text.trimEnd().split('\n');
      expect(lines.length, `${name}\n${text}`).toBeLessThanOrEqual(helpLines);
      for (const line of lines) expect(line.length, `${name}: ${line}`).toBeLessThanOrEqual(helpColumns);
    }
  });

  test('has every option in a group', () => {
    for (const { name, options } of commands)
      for (const { flags, group } of options) expect(groupOrder, `${name} ${flags}`).toContain(`${group}:`);
  });

  test('shows rare options, all sections and all examples only with --all', async () => {
    for (const { name, options, sections } of commands) {
      const words = name.split(' ').slice(1);
      const [short, all, same] = await Promise.all([
        helpOf(...words, '--help'),
        helpOf(...words, '--help', '--all'),
        helpOf('help', ...words, '--all'),
      ]);
      expect(same).toBe(all);
      for (const { flags, rare } of options) {
        expect(all, `${name} ${flags}`).toContain(`  ${flags}`);
        expect(short.includes(`  ${flags}`), `${name} ${flags}`).toBe(!rare);
      }
      for (const { heading, lines } of sections) {
        if (heading !== '') expect(all).toContain(`${heading}:\n`);
        if (heading === 'Examples') for (const line of lines) expect(all).toContain(line);
      }
      if (short !== all) expect(short).toContain(`\nMore: ${name} --help --all\n`);
    }
  });

  test('is JSON with --json', async () => {
    const help = JSON.parse(await helpOf('origins', 'add', '--help', '--json')) as CommandHelp;
    expect(help).toMatchObject({ version: 1, name: 'skillwire origins add', summary: 'Add an origin' });
    expect(help.options.find(({ flags }) => flags === '--era <era>')).toEqual({
      flags: '--era <era>',
      description: 'Protocol revision: 2026-07-28 (modern), 2025 (legacy) or auto',
      group: 'Compatibility',
      rare: true,
      choices: ['auto', 'modern', 'legacy'],
      required: false,
    });
  });
});

describe('ProgramCommand', () => {
  function tall(options: number, prose: string, examples: number): string {
    const command = new ProgramCommand('tall', false).description('A command').usage('[options]');
    for (let at = 0; at < options; at++) command.option(`--option-${at}`, 'About it');
    const lines = Array.from({ length: examples }, (_, at) => `  tall --option-${at}`);
    return command
      .addHelpText('after', `\n${prose}\n\nExit codes:\n  0 ok\n\nExamples:\n${lines.join('\n')}`)
      .helpInformation();
  }

  test('drops exit codes first, then prose, then examples', () => {
    expect(tall(5, 'Why it is so.', 5)).toMatch(/Why it is so\.\n\nExit codes:\n {2}0 ok\n\nExamples:\n/);
    const withoutCodes = tall(20, 'Why it is so.', 8);
    expect(withoutCodes).toContain('Why it is so.');
    expect(withoutCodes).not.toContain('Exit codes');
    const withoutProse = tall(21, 'Why it is so.', 8);
    expect(withoutProse).not.toContain('Why it is so.');
    expect(withoutProse.match(/^ {2}tall/gm)).toHaveLength(8);
    const fewExamples = tall(25, 'Why it is so.', 20);
    expect(fewExamples).toContain('Examples:\n  tall --option-0\n');
    expect(fewExamples.trimEnd().split('\n')).toHaveLength(helpLines);
    expect(fewExamples).toMatch(/\n\nMore: tall --help --all\n$/);
  });
});
