/** Output and questions at a terminal: the built command in a real pseudo-terminal, made by `script` of util-linux. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';
import { type ServedSkills, sampleSkills, serveSkills } from './served-skills.ts';
import { atTerminal, controlC, hasTerminal } from './terminal.ts';

let folder: CliFolder;
let served: ServedSkills;

beforeAll(async () => {
  folder = cliFolder();
  folder.write(sampleSkills);
  folder.write({
    'skills/odd/SKILL.md': skillText('odd', 'a\x1b[2Jb \u202e c\r\nend'),
    'skills/odd/logo.png': '',
  });
  writeFileSync(join(folder.path, 'skills/odd/logo.png'), Uint8Array.from([0x89, 0x50, 0xff, 0]));
  served = await serveSkills(folder);
});

afterAll(async () => {
  await served.stop();
  folder.remove();
});

describe.skipIf(!hasTerminal)('at a terminal', () => {
  const question = '[y/N]';
  const stateOf = async (name: string): Promise<string> => {
    const { skills } = JSON.parse((await folder.run(['list', served.origin, '--json'])).stdout);
    return (skills as { name: string; state: string }[]).find((skill) => skill.name === name)?.state ?? '';
  };

  test('approve asks, and approves only after yes', async () => {
    for (const [text, exitCode] of [
      ['\r', 5],
      ['n\r', 5],
      [controlC, 130],
    ] as const) {
      const shown = await atTerminal(folder, ['approve', served.origin, 'on-call'], { to: question, text });
      expect(shown.exitCode, JSON.stringify(text)).toBe(exitCode);
      expect(shown.screen).toContain('Approve on-call? Agents will be able to load it.');
    }
    expect(await stateOf('on-call')).toBe('not-approved');
  });

  test('approve shows the files and requests, and approves after yes', async () => {
    const shown = await atTerminal(folder, ['approve', served.origin, 'pdf-tools', '--allowed-tools'], {
      to: question,
      text: 'y\r',
    });
    expect(shown.exitCode).toBe(0);
    for (const said of ['scripts/merge.sh', 'fetch.example.net', 'Not granted: execution', '(loading, allowed-tools)'])
      expect(shown.screen).toContain(said);
    expect(await stateOf('pdf-tools')).toBe('approved');
  });

  test('read escapes control characters, unless --raw is given', async () => {
    const { screen, exitCode } = await atTerminal(folder, ['read', './skills', 'odd']);
    expect(exitCode).toBe(0);
    expect(screen).toContain('a\\u{1b}[2Jb \\u{202e} c\r\nend\r\n');
    expect(screen).not.toContain('\x1b[2J');
    expect(screen).not.toContain('\u202e');
    const raw = await atTerminal(folder, ['read', './skills', 'odd', '--raw']);
    expect(raw.screen).toContain('a\x1b[2Jb \u202e c');
  });

  test('read refuses binary content, unless --raw is given', async () => {
    const { screen, exitCode } = await atTerminal(folder, ['read', './skills', 'odd', 'logo.png']);
    expect(exitCode).toBe(2);
    expect(screen).toContain('--output FILE');
    expect((await atTerminal(folder, ['read', './skills', 'odd', 'logo.png', '--raw'])).exitCode).toBe(0);
  });
});
