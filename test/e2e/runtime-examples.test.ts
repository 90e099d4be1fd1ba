/** The examples of live skills and the commands of docs/guides/expose-a-live-program.md, run against the hub that the page starts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { splitCommand } from '../../src/origins/command-words.ts';
import { eventually } from '../eventually.ts';
import { type CliFolder, type CliProcess, cliFolder } from './cli-process.ts';

const project = join(import.meta.dirname, '../..');
const page = readFileSync(join(project, 'docs/guides/expose-a-live-program.md'), 'utf8');
const example = readFileSync(join(project, 'examples/runtime/live-skill.ts'), 'utf8');

let folder: CliFolder;
let hub: CliProcess;
let mdp: string;
let runtime: { close(): Promise<void> } | undefined;

beforeAll(async () => {
  folder = cliFolder();
  folder.write({ 'skills/notes/SKILL.md': '---\nname: notes\ndescription: Notes of the team.\n---\nText.\n' });
  hub = folder.start(['serve', './skills', '--mdp', '--http', '0', '--json']);
  ({ mdp } = JSON.parse(await hub.seen('stdout', /listening.*\n/)));
  vi.stubEnv('HUB', mdp);
  ({ runtime } = await import(join(project, 'examples/runtime/live-skill.ts')));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await runtime?.close();
  hub.child.kill();
  await hub.ended;
  folder.remove();
});

test('the page shows the example unchanged', () => {
  expect(page).toContain(`\`\`\`ts\n${example}\`\`\``);
  expect(example.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(10);
});

test('the example is read over HTTP', async () => {
  const text = await eventually(async () => {
    const answer = await fetch(`${mdp.replace('ws:', 'http:')}/skills/my-machine/memory`);
    expect(answer.status).toBe(200);
    return answer.text();
  });
  expect(text).toMatch(/^# Memory\n\n\d+ % is free\./);
});

test('every command of the page about the hub runs', async () => {
  const lines = [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter((line) => line.startsWith('skillwire ') && !/ (?:serve|expose) |mdp:stdio:/.test(line));
  expect(lines.length).toBe(6);
  for (const line of lines) {
    const [, ...words] = splitCommand(line.replaceAll('ws://127.0.0.1:4711', mdp));
    const argv = words.length === 1 ? [...words, `mdp:${mdp}`] : words;
    const { exitCode, stderr } = await folder.run(argv);
    // Free memory changes all the time, and then the list of pinned skills says so.
    expect([0, 1], `${line}: ${stderr}`).toContain(exitCode);
  }
});
