import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;
let started: CliProcess | undefined;

beforeEach(() => {
  folder = cliFolder();
  folder.write({ 'skills/pdf/SKILL.md': skillText('pdf'), 'skills/docx/SKILL.md': skillText('docx') });
});

afterEach(async () => {
  started?.child.kill('SIGKILL');
  await started?.ended;
  started = undefined;
  folder.remove();
});

async function serve(...argv: string[]): Promise<Record<string, unknown>> {
  started = folder.start(['serve', ...argv, '--http', '0', '--json']);
  const event = JSON.parse(await started.seen('stdout', /\n/));
  await started.seen('stderr', /mcpServers/);
  return event;
}

async function listed(mcp: unknown): Promise<{ uris: string[]; ttlMs: unknown }> {
  const { result } = await modern(String(mcp), 'skills/list');
  const skills = result?.skills as readonly { readonly uri: string }[];
  return { uris: skills.map(({ uri }) => uri), ttlMs: result?.ttlMs };
}

function statusFor(url: unknown, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(String(url), { headers }, (response) => resolve(response.resume().statusCode)).once('error', reject);
  });
}

/** Resolves as soon as nobody listens there. */
async function refused(port: number): Promise<void> {
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (!open) return;
  }
}

describe('skillwire serve', () => {
  test('prints one line of JSON on stdout, and addresses and a client configuration on stderr', async () => {
    const event = await serve('./skills');
    expect(event).toEqual({
      event: 'listening',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      mcp: `${event.url}/mcp`,
      skills: 2,
      problems: 0,
    });
    expect(started?.stdout().split('\n')).toHaveLength(2);
    expect(started?.stderr()).toContain('serves 2 skills from skills\n\nNo findings.\n');
    expect(started?.stderr()).toContain(`page  ${event.url}/\n`);
    expect(started?.stderr()).not.toContain('--allowed-host');
    expect(started?.stderr()).toContain(`claude mcp add --transport http skills ${event.mcp}\n`);
    expect(started?.stderr()).not.toContain('\x1b');
  });

  test('lists problems with their remedy and names the command for details', async () => {
    folder.write({ 'skills/bad/SKILL.md': '---\nname: Bad\ndescription: x\n---\n' });
    const event = await serve('./skills');
    expect(event).toMatchObject({ skills: 2, problems: 1 });
    expect(started?.stderr()).toMatch(/skills.bad.SKILL\.md:2 {2}problem {2}.*\[name-invalid\]\n {4}\S/);
    expect(started?.stderr()).toContain('run `skillwire validate ./skills` for details');
    const page = await (await fetch(`${event.url}/ui/plain`)).text();
    expect(page).toMatch(/<bdi>skills.bad.SKILL\.md:2<\/bdi>/);
    expect(page).not.toContain(folder.path);
  });

  test('repeats the given origins in the command for details', async () => {
    folder.write({
      'skills/bad/SKILL.md': '---\nname: Bad\ndescription: x\n---\n',
      'conf/skillwire.json': JSON.stringify({ origins: { docs: '../skills' } }),
    });
    const hint = async (...argv: string[]): Promise<string | undefined> => {
      await serve(...argv);
      started?.child.kill('SIGTERM');
      return /run `(.*)` for details/.exec((await started?.ended)?.stderr ?? '')?.[1];
    };
    expect(await hint('team=./skills', '--no-nested')).toBe('skillwire validate team=./skills --no-nested');
    expect(await hint('--config', 'conf/skillwire.json')).toBe('skillwire validate --config conf/skillwire.json');
    folder.write({ 'skillwire.json': JSON.stringify({ origins: { docs: './skills' } }) });
    expect(await hint()).toBe('skillwire validate');
    expect(await folder.run(['validate'])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^skills.bad.SKILL\.md:2 {2}problem /m),
    });
  });

  test('prints one line for a later change', async () => {
    await serve('./skills');
    folder.write({ 'skills/bad/SKILL.md': '---\nname: Bad\ndescription: x\n---\n' });
    await started?.seen('stderr', /1 new problem: skills.bad.SKILL\.md:2 /);
    folder.write({ 'skills/xlsx/SKILL.md': skillText('xlsx') });
    await started?.seen('stderr', /^1 skill added$/m);
  });

  test('serves the origins of the nearest configuration, relative to it, under its rules', async () => {
    folder.write({
      'skillwire.json': JSON.stringify({
        origins: { docs: './skills' },
        rules: [{ match: 'pdf', listed: false }],
      }),
    });
    expect(await serve()).toMatchObject({ skills: 2 });
    expect(started?.stderr()).toContain('serves 2 skills (1 not listed) from skills\nconfiguration: skillwire.json\n');
  });

  test('serves labeled folders and origins of the configuration by their labels', async () => {
    folder.write({
      'more/xlsx/SKILL.md': skillText('xlsx'),
      'conf/skillwire.json': JSON.stringify({ origins: { docs: '../skills', unused: './gone' } }),
    });
    const { mcp } = await serve('team=more', 'docs', '--config', 'conf/skillwire.json');
    expect((await listed(mcp)).uris).toEqual([
      'skill://docs/docx/SKILL.md',
      'skill://docs/pdf/SKILL.md',
      'skill://team/xlsx/SKILL.md',
    ]);
  });

  test('ignores nested skills with --no-nested, and changes with --no-watch', async () => {
    folder.write({ 'skills/pdf/inner/SKILL.md': skillText('inner') });
    const all = await listed((await serve('./skills')).mcp);
    expect(all).toEqual({ uris: expect.arrayContaining(['skill://pdf/inner/SKILL.md']), ttlMs: 60_000 });
    started?.child.kill('SIGTERM');
    await started?.ended;
    const outer = await listed((await serve('./skills', '--no-nested', '--no-watch')).mcp);
    expect(outer).toEqual({ uris: ['skill://docx/SKILL.md', 'skill://pdf/SKILL.md'], ttlMs: 300_000 });
  });

  test('answers other host names and web origins only if they are allowed', async () => {
    const closed = await serve('./skills');
    expect(await statusFor(closed.url, { host: 'skills.example' })).toBe(403);
    expect(await statusFor(closed.url, { origin: 'https://page.example' })).toBe(403);
    started?.child.kill('SIGTERM');
    await started?.ended;
    const allow = [
      '--allowed-host',
      'skills.example',
      '--allowed-host',
      'b',
      '--allowed-origin',
      'https://page.example',
    ];
    const open = await serve('./skills', ...allow);
    expect(await statusFor(open.url, { host: 'skills.example' })).toBe(200);
    expect(await statusFor(open.url, { host: 'b' })).toBe(200);
    expect(await statusFor(open.url, { origin: 'https://page.example' })).toBe(200);
  });

  test('listens beyond loopback only if told to', async () => {
    const argv = ['serve', './skills', '--http', '0.0.0.0:0', '--json'];
    const { stderr, exitCode } = await folder.run(argv);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'ADDRESS_REFUSED' });
    started = folder.start([...argv, '--allow-unauthenticated-remote']);
    const { url, mcp } = JSON.parse(await started.seen('stdout', /\n/));
    expect(url).not.toContain('0.0.0.0');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const startText = await started.seen('stderr', /mcpServers/);
    expect(startText).toContain(`MCP   ${mcp}\nsite  ${url}  (`);
    expect(startText).toContain('\nAllowed host names: any IP address, localhost (add others with --allowed-host)\n');
    started.child.kill('SIGTERM');
    await started.ended;
    started = folder.start([...argv, '--allow-unauthenticated-remote', '--allowed-host', 'skills.example']);
    const named = JSON.parse(await started.seen('stdout', /\n/));
    expect(named.mcp).toMatch(/^http:\/\/skills\.example:\d+\/mcp$/);
    expect(await started.seen('stderr', /mcpServers/)).toContain('localhost, skills.example (');
  });

  test('exits at once at a second signal while a request is open', async () => {
    const port = Number(new URL(String((await serve('./skills')).url)).port);
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    );
    await new Promise((resolve) => socket.once('connect', resolve));
    await statusFor(`http://127.0.0.1:${port}/healthz`, {});
    started?.child.kill('SIGTERM');
    await refused(port);
    started?.child.kill('SIGTERM');
    expect((await started?.ended)?.exitCode).toBe(130);
  });

  test('exits 130 after SIGINT and 0 after SIGTERM', async () => {
    await serve('./skills');
    started?.child.kill('SIGINT');
    expect((await started?.ended)?.exitCode).toBe(130);
    await serve('./skills');
    started?.child.kill('SIGTERM');
    expect((await started?.ended)?.exitCode).toBe(0);
  });

  test('writes only the protocol to stdout over stdio, and ends with stdin', async () => {
    started = folder.start(['serve', './skills', '--stdio']);
    await started.seen('stderr', /Speaking MCP over stdin and stdout/);
    expect(started.stdout()).toBe('');
    started.child.stdin?.end();
    expect(await started.ended).toMatchObject({ stdout: '', exitCode: 0 });
  });

  test.skipIf(process.platform !== 'linux' || !existsSync('/usr/bin/script'))(
    'shows a person at a terminal what to paste into a client that starts it',
    async () => {
      const main = join(import.meta.dirname, '../../dist/cli/main.js');
      const command = `'${process.execPath}' '${main}' serve ./skills team=./skills/pdf --stdio --no-nested`;
      const env = { PATH: process.env['PATH'] ?? '', SKILLWIRE_HOME: join(folder.path, 'no-home') };
      const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], { cwd: folder.path, env });
      let text = '';
      await new Promise<void>((resolve, reject) => {
        child.once('error', reject).once('close', () => reject(new Error(text)));
        child.stdout.on('data', (chunk) => {
          text += chunk;
          if (/^}\r$/m.test(text)) resolve();
        });
      });
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
      const { skills } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)).mcpServers;
      expect(skills).toEqual({
        command: 'npx',
        args: [
          'skillwire',
          'serve',
          '--stdio',
          join(folder.path, 'skills'),
          `team=${join(folder.path, 'skills/pdf')}`,
          '--no-nested',
        ],
      });
    },
  );

  test('exits 0 if stdin ends before the folders are read', async () => {
    started = folder.start(['serve', './skills', '--stdio']);
    started.child.stdin?.end();
    expect(await started.ended).toMatchObject({ stdout: '', exitCode: 0 });
  });

  test('exits 2 with a remedy if it cannot serve', async () => {
    expect(await folder.run(['serve'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Run "skillwire serve ./skills"'),
    });
    expect(await folder.run(['serve', 'nothing'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('write ./nothing for a folder'),
    });
    expect(await folder.run(['serve', './nothing'])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await folder.run(['serve', 'git:ext::evil'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Write git:https://HOST/PATH.git'),
    });
    const named = await folder.run(['serve', '--config', 'gone.json', '--json']);
    expect(JSON.parse(named.stderr).error.code).toBe('CONFIG_NOT_FOUND');
    folder.write({ 'skillwire.json': '{ "origin": {} }' });
    const broken = await folder.run(['serve', './skills']);
    expect(broken).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/skillwire\.json:1:3 {2}origin: /) });
  });

  test('names the label and the configuration if a configured folder cannot be served', async () => {
    folder.write({ 'skillwire.json': JSON.stringify({ origins: { data: './gone' } }) });
    expect(await folder.run(['serve', '--http', '0'])).toEqual({
      stdout: '',
      stderr:
        'skillwire: Origin "data" of skillwire.json: Cannot read "gone": there is no such folder. Check the path.\n',
      exitCode: 2,
    });
    folder.write({ gone: 'a file' });
    expect((await folder.run(['serve', '--stdio'])).stderr).toMatch(
      /^skillwire: Origin "data" of skillwire\.json: Cannot read "gone": it is not a folder/,
    );
  });

  test('reports faults of the configuration as docs/reference/configuration.md shows them', async () => {
    const page = readFileSync(new URL('../../docs/reference/configuration.md', import.meta.url), 'utf8');
    const [, wrong = '', message = ''] =
      /Mistakes[\s\S]*?```json\n([\s\S]*?)```[\s\S]*?```text sample\n([\s\S]*?)```/.exec(page) ?? [];
    folder.write({ 'skillwire.json': wrong });
    expect(await folder.run(['serve'])).toEqual({ stdout: '', stderr: message, exitCode: 2 });
  });
});
