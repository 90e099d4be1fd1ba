/**
 * The walk of docs/guides/run-a-gateway.md, command by command as written there. It goes from nothing to one address over five
 * kinds of origin. A token sees only its profile, an approval gates a new version, a recall works and a search finds. Only ports
 * differ, servers run as processes, and questions are answered on the command line.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { staticServer } from '../referees/plain-web-server.ts';
import { runToEnd } from '../referees/process-group.ts';
import { type CliFolder, type CliProcess, cliFolder } from './cli-process.ts';
import { freePort } from './free-port.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(project, 'docs/guides/run-a-gateway.md'), 'utf8');
const walk = page.slice(page.indexOf('## The walk'), page.indexOf('## In code'));
const blocks = [...walk.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language, text = '']) => ({ language, text }));

let folder: CliFolder;
const running: CliProcess[] = [];
const closing: (() => Promise<void>)[] = [];
const ports = new Map<string, number>();
let env: Record<string, string> = {};

const placed = (text: string): string => text.replace(/\b(4711|808\d)\b/g, (port) => String(ports.get(port) ?? port));

/** Runs one line of the page in a shell; its exports stay for the next ones. */
async function line(command: string): Promise<{ stdout: string; exitCode: number }> {
  const script = `${placed(command)}\nstatus=$?\nenv > .exported\nexit $status`;
  const run = await runToEnd('sh', ['-c', script], { env, cwd: folder.path, deadlineMs: 60_000 });
  for (const [, name = '', value = ''] of readFileSync(join(folder.path, '.exported'), 'utf8').matchAll(
    /^(ONCALL|WRITER|GATEWAY)=(.*)$/gm,
  ))
    env[name] = value;
  return { stdout: run.stdout + run.stderr, exitCode: run.exitCode };
}

async function names(command: string): Promise<string> {
  const { stdout } = await line(`${command.replace(/#.*/, '')} --json`);
  const { skills } = JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1)) as {
    skills: { name: string }[];
  };
  return skills
    .map(({ name }) => name)
    .sort()
    .join(', ');
}

/** The command of the page, with the answer yes to exactly the waiting skills. */
async function approve(command: string): Promise<void> {
  const [, , , name = ''] = command.split(' ');
  const { stdout } = await folder.run(['waiting', '--json'], env);
  const { waiting } = JSON.parse(stdout) as { waiting: { name: string; setDigest: string }[] };
  const digest = waiting.find((skill) => skill.name === name)?.setDigest ?? '';
  const { exitCode, stdout: said } = await line(`${command.replace(/#.*/, '')} --yes ${digest}`);
  expect(exitCode, said).toBe(0);
}

beforeAll(async () => {
  folder = cliFolder();
  for (const port of ['4711', '8082', '8083']) ports.set(port, await freePort());
  const bin = join(folder.path, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'skillwire'),
    `#!/bin/sh\nexec "${process.execPath}" "${join(project, 'dist/cli/main.js')}" "$@"\n`,
  );
  chmodSync(join(bin, 'skillwire'), 0o755);
  const { PATH = '' } = process.env;
  env = { PATH: `${bin}:${PATH}`, HOME: folder.path, SKILLWIRE_HOME: join(folder.path, 'no-home'), NO_COLOR: '1' };
}, 60_000);

afterAll(async () => {
  for (const { child } of running) child.kill('SIGTERM');
  await Promise.all(running.map(({ ended }) => ended));
  for (const close of closing) await close();
  folder.remove();
});

test('the page has the blocks that are walked', () => {
  expect(blocks.map(({ language }) => language)).toEqual(['sh', 'sh', 'json', 'sh', 'sh', 'sh', 'sh', 'sh']);
});

test('the origins are created and started', { timeout: 180_000 }, async () => {
  const { exitCode, stdout } = await line(blocks[0]?.text ?? '');
  expect(exitCode, stdout).toBe(0);
  const lines = (blocks[1]?.text ?? '').trim().split('\n');
  expect(lines).toHaveLength(4);
  for (const command of lines) {
    const [program, ...words] = placed(command.replace(/#.*/, '').trim()).split(/\s+/);
    if (program === 'skillwire') {
      const started = folder.start(words);
      running.push(started);
      await started.seen('stderr', /Add it to Claude Code|connected:/);
    } else {
      // A web server like any other, whatever is installed here.
      expect(command).toContain('--directory site');
      const site = await staticServer(join(folder.path, 'site'));
      ports.set('8081', Number(new URL(site.url).port));
      closing.push(() => site.stop());
    }
  }
  writeFileSync(join(folder.path, 'skillwire.json'), placed(blocks[2]?.text ?? ''));
});

test('the gateway starts, and every origin is healthy', { timeout: 180_000 }, async () => {
  const [trust = '', start = ''] = (blocks[3]?.text ?? '').trim().split('\n');
  const [check = '', serve = ''] = start.split(' && ');
  const shown = await line(trust);
  expect([shown.exitCode, shown.stdout.match(/connect to this machine/g)]).toEqual([
    5,
    Array(3).fill(expect.anything()),
  ]);
  await folder.trust();
  expect((await line(check)).exitCode).toBe(0);
  const gateway = folder.start([...serve.split(' ').slice(1), '--http', String(ports.get('4711'))]);
  running.push(gateway);
  await gateway.seen('stderr', /Clients need a token/);
  const lines = (blocks[4]?.text ?? '').trim().split('\n');
  for (const command of lines.slice(0, 3)) expect((await line(command)).exitCode, command).toBe(0);
  const address = `http://127.0.0.1:${ports.get('4711')}`;
  const status = await line((lines[3] ?? '').replace('status', `status ${address}`));
  expect(status.exitCode, status.stdout).toBe(1);
  expect(status.stdout).toContain('Serving 0 of 5 skills. 5 are waiting: run `skillwire review`, or open http');
  for (const label of ['handbook', 'old', 'docs', 'tools', 'live']) expect(status.stdout).toMatch(`${label} `);
  const queue = await line(lines[4] ?? '');
  expect(queue.exitCode, queue.stdout).toBe(1);
  expect(queue.stdout).toContain('5 skills to approve');
  for (const command of lines.slice(5, 7)) await approve(command);
  for (const command of lines.slice(7)) expect(await names(command), command).toBe(command.split('# ')[1]);
});

test('a new version is waiting until it is approved', { timeout: 180_000 }, async () => {
  const [edit = '', waiting = '', diff = '', approval = ''] = (blocks[5]?.text ?? '').trim().split('\n');
  expect((await line(edit)).exitCode).toBe(0);
  await eventually(
    async () => expect((await line(waiting)).stdout).toMatch(/refunds +handbook +waiting \(changed\)/),
    200,
  );
  expect((await line(diff)).stdout).toContain('+Within 14 days.');
  const served = async () =>
    (
      await fetch(`http://127.0.0.1:${ports.get('4711')}/.well-known/agent-skills/refunds/SKILL.md`, {
        headers: { authorization: `Bearer ${env['WRITER']}` },
      })
    ).text();
  expect(await served()).not.toContain('14 days');
  await approve(approval);
  expect(await served()).toContain('Within 14 days.');
});

test('a denial works at once, and a search finds skills', { timeout: 180_000 }, async () => {
  const [deny = '', list = '', allow = ''] = (blocks[6]?.text ?? '').trim().split('\n');
  expect((await line(deny)).exitCode).toBe(0);
  expect(await names(list)).toBe('');
  expect((await line(allow)).exitCode).toBe(0);
  expect(await names(list)).toBe('refunds');
  const [search = '', curl = '', audit = ''] = (blocks[7]?.text ?? '').trim().split('\n');
  const found = await line(search);
  expect([found.exitCode, found.stdout]).toEqual([0, expect.stringContaining('refunds')]);
  const [, url = ''] = /"(http:[^"]*)"/.exec(placed(curl)) ?? [];
  const hits = await fetch(url, { headers: { authorization: `Bearer ${env['WRITER']}` } });
  expect(await hits.json()).toMatchObject({ total: 1, hits: [{ uri: 'skill://handbook/refunds/SKILL.md' }] });
  expect((await line(audit)).stdout).toMatch(/INC-7[\s\S]*fixed|fixed[\s\S]*INC-7/);
});
