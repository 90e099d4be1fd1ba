/** Live programs whose skills a policy hides: operators see that they are connected, readers do not. */
import { afterEach, expect, test } from 'vitest';
import { createRuntime, type Runtime } from '../../src/runtime-client/index.node.ts';
import { eventually } from '../eventually.ts';
import { type ServedFolder, startServing } from '../served-folder.ts';
import { skillText } from './cli-process.ts';

let served: ServedFolder | undefined;
let runtime: Runtime | undefined;

afterEach(async () => {
  await runtime?.close();
  await served?.stop();
});

async function start(policy: object): Promise<ServedFolder> {
  const files = {
    'skillwire.json': JSON.stringify({ origins: { docs: './docs' }, policy }),
    'docs/refunds/SKILL.md': skillText('refunds'),
  };
  const started = await startServing(files, ['--mdp']);
  served = started;
  runtime = createRuntime({ url: started.url.replace('http', 'ws'), id: 'lab' });
  runtime.expose('/memory/skill.md', { description: 'Memory left' }, () => '# Memory\n\nsecret-text\n');
  await runtime.connect();
  return started;
}

async function json(path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${served?.url}${path}`, { headers });
  return { status: answer.status, text: await answer.text() };
}

test('are named with a remedy, and their skills are hidden', { timeout: 120_000 }, async () => {
  const { folder, mdp } = await start({ mode: 'approved-only' });
  const listed = await eventually(async () => {
    const found = await folder.run(['runtimes', `mdp:${mdp}`]);
    expect(found.stderr).toContain('1 live skill is not served under the policy.');
    return found;
  }, 200);
  expect(listed.stdout).toMatch(/^ID +PATHS +NOT SERVED .*\nlab +0 +1 /);
  expect(listed.stderr).toContain('Pin it with "pin" in skillwire.json, or set "dynamic": true in the policy.');
  const { runtimes } = JSON.parse((await folder.run(['runtimes', `mdp:${mdp}`, '--json'])).stdout);
  expect(runtimes).toMatchObject([{ id: 'lab', paths: 0, hidden: 1 }]);
  expect(JSON.parse((await json('/api/runtimes')).text).runtimes).toMatchObject([{ id: 'lab', paths: [], hidden: 1 }]);
  expect(JSON.parse((await json('/mdp/clients')).text).clients).toMatchObject([{ id: 'lab', paths: [], hidden: 1 }]);
  await eventually(
    async () => expect((await folder.run(['waiting'])).stderr).toContain('1 live skill is not served'),
    200,
  );
  // Readers from elsewhere learn nothing of it, nor does anybody of its text.
  const proxied = { 'x-forwarded-for': '203.0.113.7' };
  for (const path of ['/api/runtimes', '/mdp/clients', '/mdp/skills'])
    expect((await json(path, proxied)).text, path).not.toContain('lab');
  expect((await json('/mdp/skills')).text).not.toContain('lab');
  expect((await json('/skills/lab/memory')).status).toBe(404);
});

test('are listed as before if the policy allows them', { timeout: 120_000 }, async () => {
  const { folder, mdp } = await start({ mode: 'approved-only', dynamic: true });
  const found = await eventually(async () => {
    const { stdout, stderr } = await folder.run(['runtimes', `mdp:${mdp}`]);
    expect(stdout).toMatch(/^ID +PATHS +OVER .*\nlab +1 /);
    return stderr;
  }, 200);
  expect(found).not.toContain('not served');
  expect((await folder.run(['waiting'])).stderr).not.toContain('live skill');
});
