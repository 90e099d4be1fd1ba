/** A server that gets a stop signal lets a load balancer notice before it closes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write({ 'skills/good/SKILL.md': skillText('good') });
});
afterAll(() => folder.remove());

async function serve(...options: string[]): Promise<{ server: CliProcess; url: string }> {
  const server = folder.start(['serve', './skills', '--http', '0', '--json', '--log-format', 'json', ...options]);
  const text = await server.seen('stdout', /"url"/);
  return { server, url: (JSON.parse(text.split('\n')[0] ?? '') as { url: string }).url };
}

test('after SIGTERM a draining server answers, is not ready, and exits at once at a second signal', async () => {
  const { server, url } = await serve('--drain', '10m');
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  server.child.kill('SIGTERM');
  await eventually(async () => {
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('closing')]);
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const index = await fetch(`${url}/.well-known/agent-skills/index.json`);
  expect([index.status, index.headers.get('connection')]).toEqual([200, 'close']);
  expect(await index.text()).toContain('good');
  server.child.kill('SIGTERM');
  expect((await server.ended).exitCode).toBe(130);
});

test('on loopback it does not wait, and SIGTERM is a success', async () => {
  const { server } = await serve();
  server.child.kill('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
});

test('Ctrl-C does not drain', async () => {
  const { server } = await serve('--drain', '10m');
  server.child.kill('SIGINT');
  expect((await server.ended).exitCode).toBe(130);
});

test('logs, status and metrics name the replica', async () => {
  const { server, url } = await serve('--replica', 'pod-7');
  expect(await (await fetch(`${url}/status`)).json()).toMatchObject({ replica: 'pod-7' });
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/skillwire_info\{[^}]*replica="pod-7"/);
  expect(await server.seen('stderr', /listening/)).toContain('"replica":"pod-7"');
  server.child.kill('SIGTERM');
  await server.ended;
});

test.each([
  [['--drain', 'soon'], /--drain "soon" is not a time\. Use 0 to 10m/],
  [['--drain', '11m'], /--drain "11m" is not a time/],
  [['--replica', 'a b'], /--replica "a b" is not a name/],
  [['--trusted-proxy', '10.0.0.0/40'], /"10\.0\.0\.0\/40" is not an address range/],
  [['--stdio', '--drain', '5s'], /--drain cannot be used with --stdio alone/],
])('%j is a usage error', async (argv, message) => {
  const { exitCode, stderr } = await folder.run(['serve', './skills', ...argv]);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
});
