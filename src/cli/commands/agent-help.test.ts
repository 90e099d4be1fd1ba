import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../../errors.ts';
import { directorySource } from '../../sources/directory/directory-source.ts';
import type { Cli } from '../cli.ts';
import { runProgram } from '../program.ts';

async function output(...argv: string[]): Promise<string> {
  let out = '';
  const cli: Cli = {
    version: '1.2.3',
    cwd: '/',
    env: {},
    stdin: {},
    stdout: { write: (text) => (out += text) },
    stderr: { write: () => true },
  };
  expect(await runProgram(argv, cli)).toBe(0);
  return out;
}

const project = join(import.meta.dirname, '../../..');

test('agent-help names every command of the program and every exit code', async () => {
  const guide = await output('agent-help');
  const commands = [...(await output('--help', '--all')).matchAll(/^ {2}([a-z][a-z-]*)(?: |$)/gm)].map(
    ([, name]) => name ?? '',
  );
  expect(commands).toContain('agent-help');
  for (const name of commands.filter((word) => word !== 'help' && word !== 'skillwire'))
    expect(guide, name).toContain(`\`${name}\``);
  for (const code of Object.values(exitCodes)) expect(guide).toContain(`\`${code}\` `);
});

test('agent-help prints the guide as JSON too, and without frontmatter', async () => {
  const guide = await output('agent-help');
  expect(guide).toMatch(/^# Skillwire\n/);
  expect(JSON.parse(await output('agent-help', '--json'))).toEqual({ version: 1, guide });
});

test('the skill of the package is in the package and has no findings', async () => {
  const source = directorySource(join(project, 'skills'), { watch: false, cache: false });
  try {
    const names: string[] = [];
    for await (const page of source.list({})) {
      names.push(...page.skills.map(({ entry }) => entry.frontmatter.name));
      expect(page.findings ?? []).toEqual([]);
    }
    expect(names).toEqual(['skillwire']);
  } finally {
    await source.close?.();
  }
  expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).files).toContain('skills');
});
