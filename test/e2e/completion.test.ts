/** The completion in the real shells of this machine: the script is loaded, and the words that a person would see are compared. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';
import { hasTerminal } from './terminal.ts';

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

const environment = (): Record<string, string> => ({
  PATH: `${folder.path}/bin:${process.env['PATH']}`,
  HOME: folder.path,
  SKILLWIRE_HOME: folder.path,
  TERM: 'xterm',
});

function inBash(line: string): readonly string[] {
  const script = `set -u
source <(skillwire completion bash)
source <(skillwire completion bash)
COMP_LINE=$1 COMP_POINT=\${#1}
_skillwire
printf '%s\\n' "\${COMPREPLY[@]:-}"`;
  const env = environment();
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

function needs(shell: string, { skip }: TestContext): void {
  const { error } = spawnSync(shell, ['--version'], { stdio: 'ignore' });
  skip(error !== undefined, `There is no ${shell} on this machine. Install it to run this test.`);
}

/** Lines as typed, and the whole last word. */
const completed = [
  ['skillwire serv', 'serve'],
  ['skillwire origins re', 'remove'],
  ['skillwire serve --allowed-h', '--allowed-host'],
  ['skillwire show pl', 'platform'],
  ['skillwire show platform co', 'code-review'],
  ['skillwire list --era mod', 'modern'],
] as const;

test('fish completes words and offers files', (context) => {
  needs('fish', context);
  const inFish = (line: string): readonly string[] => {
    const script = 'skillwire completion fish | source; complete -C $argv[1]';
    const options = { cwd: folder.path, env: environment(), encoding: 'utf8' } as const;
    const out = execFileSync('fish', ['--no-config', '-c', script, line], options);
    return out.trimEnd().split('\n');
  };
  for (const [line, word] of completed) expect(inFish(line)[0]?.split('\t')[0], line).toBe(word);
  expect(inFish('skillwire serve sk')).toContain('skills/');
  expect(inFish('skillwire show ./skills (touch owned) co')).toBeDefined();
  expect(existsSync(join(folder.path, 'owned'))).toBe(false);
}, 120_000);

test.skipIf(!hasTerminal)(
  'zsh completes the line that a person types',
  async (context) => {
    needs('zsh', context);
    // Ctrl-G writes the line down instead of running it.
    folder.write({
      '.zshrc': `autoload -U compinit; compinit -u -D
source <(skillwire completion zsh)
save() { print -r -- "$BUFFER" > typed; BUFFER= }
zle -N save; bindkey '^G' save; PS1='ready> '
`,
    });
    const env = { ...environment(), ZDOTDIR: folder.path };
    const shell = spawn('script', ['-qec', 'stty columns 80 rows 24 && exec zsh -d -i', '/dev/null'], {
      cwd: folder.path,
      env,
    });
    let screen = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen += text;
    });
    const typed = join(folder.path, 'typed');
    try {
      await eventually(() => expect(screen).toContain('ready> '));
      for (const [line, word] of completed) {
        rmSync(typed, { force: true });
        shell.stdin.write(`${line}\t\x07`);
        const whole = `${line.slice(0, line.lastIndexOf(' '))} ${word} \n`;
        await eventually(() => expect(existsSync(typed) && readFileSync(typed, 'utf8')).toBe(whole));
      }
    } finally {
      shell.kill('SIGKILL');
      await once(shell, 'close');
    }
  },
  240_000,
);

test('PowerShell completes words', (context) => {
  needs('pwsh', context);
  for (const [line, word] of completed) {
    const script = `skillwire completion powershell | Out-String | Invoke-Expression
(TabExpansion2 -inputScript '${line}' -cursorColumn ${line.length}).CompletionMatches.CompletionText`;
    const options = { cwd: folder.path, env: environment(), encoding: 'utf8' } as const;
    expect(execFileSync('pwsh', ['-NoProfile', '-Command', script], options).trim(), line).toBe(word);
  }
}, 240_000);
