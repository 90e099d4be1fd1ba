/** The completion in a real bash: the script is sourced, and the words that a person would see are printed. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';

const project = join(import.meta.dirname, '../..');
let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  folder.write({
    'skills/code-review/SKILL.md': skillText('code-review'),
    'skillwire.json': '{ "origins": { "platform": "./skills" } }',
  });
  mkdirSync(join(folder.path, 'bin'));
  const command = join(folder.path, 'bin/skillwire');
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${join(project, 'dist/cli/main.js')}" "$@"\n`);
  chmodSync(command, 0o755);
});

afterAll(() => folder.remove());

function inBash(line: string): readonly string[] {
  const script = `set -u
source <(skillwire completion bash)
source <(skillwire completion bash)
COMP_LINE=$1 COMP_POINT=\${#1}
_skillwire
printf '%s\\n' "\${COMPREPLY[@]:-}"`;
  const env = { PATH: `${folder.path}/bin:${process.env['PATH']}`, HOME: folder.path, SKILLWIRE_HOME: folder.path };
  const out = execFileSync('bash', ['--norc', '-c', script, 'bash', line], { cwd: folder.path, env, encoding: 'utf8' });
  return out.trimEnd().split('\n');
}

test.skipIf(process.platform === 'win32').each([
  ['skillwire serv', ['serve']],
  ['skillwire origins re', ['remove']],
  ['skillwire serve --allowed-h', ['--allowed-host']],
  ['skillwire show pl', ['platform']],
  ['skillwire show platform ', ['code-review']],
  ['skillwire list --era mod', ['modern']],
  ['skillwire show ./skills $(touch owned) co', ['']],
])(
  'bash completes "%s"',
  (line, expected) => {
    expect(inBash(line)).toEqual(expected);
    expect(existsSync(join(folder.path, 'owned'))).toBe(false);
  },
  120_000,
);
