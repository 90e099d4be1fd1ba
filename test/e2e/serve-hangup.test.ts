/** A server whose terminal is closed ends cleanly. Without a terminal, as under nohup, and while the terminal is open, SIGHUP stops nothing. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';
import { hasTerminal, openTerminal } from './terminal.ts';

let folder: CliFolder;
beforeEach(() => {
  folder = cliFolder();
  folder.write({ 'skills/good/SKILL.md': skillText('good'), 'skillwire.json': '{ "origins": { "own": "./skills" } }' });
});
afterEach(() => folder.remove());

const isReady = async (url: string): Promise<boolean> => (await fetch(`${url}/readyz`)).status === 200;

test.skipIf(!hasTerminal).each([
  ['a folder', ['./skills']],
  ['a configuration', []],
])('closing the terminal of %s stops the server', async (_, origins) => {
  const exit = join(folder.path, 'exit-code');
  // Passes the signal on, as shells do, and survives the terminal to write down how the server ended.
  const line = (command: string): string =>
    `{ ${command} & echo $! > server-id; trap "kill -HUP $!" HUP; wait $!; wait $!; echo $? > exit-code; }`;
  const argv = ['serve', ...origins, '--http', '0', '--drain', '10m'];
  const terminal = openTerminal({ line }, folder, argv);
  let screen = '';
  terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
  });
  await eventually(() => expect(screen).toMatch(/page\s+http\S+/));
  const [, url = ''] = /page\s+(http:\/\/[\d.:]+)/.exec(screen) ?? [];
  const server = Number(readFileSync(join(folder.path, 'server-id'), 'utf8'));
  process.kill(server, 'SIGHUP');
  expect(await isReady(url)).toBe(true);
  expect(existsSync(exit)).toBe(false);
  terminal.kill('SIGKILL');
  await once(terminal, 'close');
  await eventually(() => expect(existsSync(exit) && readFileSync(exit, 'utf8')).toBe('129\n'));
  await expect(isReady(url)).rejects.toThrow('fetch failed');
});

test.skipIf(process.platform === 'win32').each([
  ['a folder', ['./skills']],
  ['a configuration', []],
])('without a terminal, SIGHUP leaves the server of %s running', async (_, origins) => {
  const server = folder.start(['serve', ...origins, '--http', '0', '--json']);
  const { url } = JSON.parse((await server.seen('stdout', /"url"/)).split('\n')[0] ?? '') as { url: string };
  server.child.kill('SIGHUP');
  folder.write({ 'skills/new/SKILL.md': skillText('new') });
  await eventually(async () => {
    expect(await (await fetch(`${url}/.well-known/agent-skills/index.json`)).text()).toContain('"new"');
  });
  server.child.kill('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
});
