/**
 * A platform team's day with the built command. A server asks for tokens and serves approved skills, while other processes approve, recall,
 * revoke and look. Every decision counts with the next request.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { eventually } from '../eventually.ts';
import { companyConfiguration, listedUris, type ServedFolder, startServing } from '../served-folder.ts';
import { type CliFolder, type CliProcess, type CliResult, skillText } from './cli-process.ts';

let served: ServedFolder;
let folder: CliFolder;
let server: CliProcess;
let mcp = '';
let reader = '';

const run = (...argv: readonly string[]): Promise<CliResult> => folder.run(argv);

async function json(...argv: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await run(...argv, '--json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const listed = (token = reader): Promise<readonly string[] | number> => listedUris(mcp, token);

async function body(uri: string): Promise<string> {
  const answer = await modern(mcp, 'resources/read', { uri }, { authorization: `Bearer ${reader}` });
  const { result: { contents } = { contents: [] }, error } = answer;
  return error?.message ?? (contents as { text: string }[])[0]?.text ?? '';
}

interface Waiting {
  readonly origin: string;
  readonly name: string;
  readonly state: string;
  readonly change: string;
  readonly setDigest: string;
}

async function waiting(name: string): Promise<Waiting> {
  const { waiting: queue } = (await json('waiting')) as { waiting: readonly Waiting[] };
  const found = queue.find((skill) => skill.name === name);
  if (found === undefined) throw new Error(`${name} does not wait`);
  return found;
}

beforeAll(async () => {
  served = await startServing({
    'skillwire.json': companyConfiguration,
    'content/docs/refunds/SKILL.md': skillText('refunds', 'First.\n'),
    'content/docs/style/SKILL.md': skillText('style'),
    'content/ops/secret/SKILL.md': skillText('secret'),
  });
  ({ folder, server, mcp } = served);
}, 60_000);

afterAll(() => served.stop());

describe('a server for a company', () => {
  test('refuses everybody without a token', async () => {
    expect(await listed('')).toBe(401);
    expect(await run('token', 'add', 'ci', '--profile', 'nobody')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('"writers", "everything"'),
    });
    const added = await run('token', 'add', 'ci', '--profile', 'writers', '--reason', 'nightly build');
    expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^skw_\w+_[\w-]+\n$/) });
    reader = added.stdout.trim();
    expect(await listed()).toEqual([]);
  });

  test('keeps unapproved skills waiting, and serves them after approval', async () => {
    const waitingSkill = await eventually(() => waiting('refunds'));
    expect(waitingSkill).toMatchObject({ origin: 'docs', state: 'waiting', change: 'new' });
    expect((await run('waiting')).exitCode).toBe(1);
    const approved = await run('approve', 'docs', 'refunds', '--yes', waitingSkill.setDigest, '--reason', 'OPS-1');
    expect(approved, approved.stderr).toMatchObject({ exitCode: 0 });
    expect(await listed()).toEqual(['skill://docs/refunds/SKILL.md']);
    expect(await body('skill://docs/refunds/SKILL.md')).toContain('First.');
    await run('approve', 'ops', 'secret', '--yes', (await waiting('secret')).setDigest);
    expect(await listed()).toEqual(['skill://docs/refunds/SKILL.md']);
    const { token } = (await json('token', 'add', 'boss', '--profile', 'everything')) as { token: string };
    expect(await listed(token)).toEqual(['skill://docs/refunds/SKILL.md', 'skill://ops/secret/SKILL.md']);
  });

  test('keeps serving the approved version while a new one is waiting', async () => {
    writeFileSync(join(folder.path, 'content/docs/refunds/SKILL.md'), skillText('refunds', 'Second.\n'));
    const waitingSkill = await eventually(async () => {
      const found = await waiting('refunds');
      expect(found.change).toBe('changed');
      return found;
    }, 200);
    expect(await body('skill://docs/refunds/SKILL.md')).toContain('First.');
    expect((await run('diff', 'docs', 'refunds', '--fetch')).stdout).toContain('+Second.');
    expect((await run('approve', 'docs', 'refunds', '--yes', waitingSkill.setDigest)).exitCode).toBe(0);
    expect(await body('skill://docs/refunds/SKILL.md')).toContain('Second.');
  });

  test('denies at the next request, and lifts the denial', async () => {
    expect((await run('deny', 'add', '--match', 'docs/refunds', '--reason', 'INC-7')).exitCode).toBe(0);
    expect(await listed()).toEqual([]);
    expect(await body('skill://docs/refunds/SKILL.md')).toContain('no served skill has this file');
    expect((await run('deny', 'list')).stdout).toMatch(/match +docs\/refunds +.*INC-7/);
    expect((await run('deny', 'remove', '--match', 'docs/refunds')).exitCode).toBe(0);
    expect(await listed()).toEqual(['skill://docs/refunds/SKILL.md']);
    expect((await run('deny', 'remove', '--match', 'docs/refunds')).exitCode).toBe(2);
  });

  test('denies an origin, and a version by its digest', async () => {
    const { approvals } = (await json('approvals')) as { approvals: { name: string; setDigest: string }[] };
    const set = approvals.find(({ name }) => name === 'refunds')?.setDigest ?? '';
    for (const what of [
      ['--origin', 'docs'],
      ['--digest', set],
    ]) {
      expect((await run('deny', 'add', ...what)).exitCode).toBe(0);
      expect(await listed(), what[0]).toEqual([]);
      await eventually(
        async () => expect((await run('waiting', '--all')).stdout).toMatch(/refunds +docs +denied/),
        200,
      );
      expect((await run('deny', 'remove', ...what)).exitCode).toBe(0);
      expect(await listed()).toEqual(['skill://docs/refunds/SKILL.md']);
    }
    for (const wrong of [[], ['--digest', 'sha256:1'], ['--match', '!x'], ['--origin', 'docs', '--match', 'x']])
      expect((await run('deny', 'add', ...wrong)).exitCode, wrong.join(' ')).toBe(2);
  });

  test('shows its status only to operators', async () => {
    const url = mcp.replace(/\/mcp$/, '');
    const status = async (path: string, token: string) =>
      (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
    const operator = await run('token', 'add', 'oncall', '--profile', 'writers', '--operator', '--expires', '12h');
    expect(operator.stderr).toMatch(/valid until \d{4}/);
    for (const path of ['/metrics', '/status'])
      expect([await status(path, operator.stdout.trim()), await status(path, reader), await status(path, 'x')]).toEqual(
        [200, 403, 401],
      );
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([200, 'ok\n']);
    for (const span of ['0d', 'soon', '99999d'])
      expect((await run('token', 'add', 'x', '--profile', 'writers', '--expires', span)).exitCode, span).toBe(2);
  });

  test('stops serving a skill whose approval was revoked', async () => {
    expect((await run('revoke', 'docs', 'refunds', '--reason', 'old')).exitCode).toBe(0);
    expect(await listed()).toEqual([]);
  });

  test('refuses a revoked token, and shows no token', async () => {
    const list = await run('token', 'list');
    expect(list.stdout).toMatch(/^NAME +ID +PROFILE/);
    expect(list.stdout).not.toContain(reader.slice(-43));
    expect((await run('token', 'revoke', 'ci', '--reason', 'leaked')).exitCode).toBe(0);
    expect(await listed()).toBe(401);
    expect((await run('token', 'revoke', 'ci')).exitCode).toBe(2);
    expect(server.stderr()).not.toContain(reader.slice(-43));
  });

  test('has every decision in the audit, with author, time and reason', async () => {
    const records = (await run('audit', '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { action: string; reason?: string; at: string; by: string });
    for (const [action, reason] of [
      ['add-token', 'nightly build'],
      ['unserve', 'no approval yet'],
      ['approve', 'OPS-1'],
      ['deny', 'INC-7'],
      ['allow', ''],
      ['revoke', 'old'],
      ['revoke-token', 'leaked'],
    ])
      expect(records, action).toContainEqual(expect.objectContaining({ action, reason, by: expect.any(String) }));
    expect(JSON.stringify(records)).not.toContain(reader.slice(-43));
  });

  test('can be moved to another machine with its state', async () => {
    expect(await run('state', 'check')).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('0 faults') });
    expect((await run('state', 'export', 'backup.jsonl')).exitCode).toBe(0);
    expect(await run('state', 'export', 'backup.jsonl')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('exists already'),
    });
    const there = ['--state', 'elsewhere'];
    expect((await run('state', 'import', 'backup.jsonl', ...there)).exitCode).toBe(0);
    expect((await json('approvals', ...there))['approvals']).toEqual((await json('approvals'))['approvals']);
    expect((await json('token', 'list', ...there))['tokens']).toEqual((await json('token', 'list'))['tokens']);
    expect(await run('state', 'import', 'no-such-file')).toMatchObject({ exitCode: 2 });
  });

  test('imports nothing that differs without --replace', async () => {
    const there = ['--state', 'elsewhere'];
    await run('deny', 'add', '--origin', 'old', '--reason', 'here', ...there);
    await run('deny', 'add', '--origin', 'old', '--reason', 'there');
    expect((await run('state', 'export', 'later.jsonl')).exitCode).toBe(0);
    expect((await run('state', 'import', 'later.jsonl', ...there)).stderr).toContain('Use --replace');
    expect((await run('state', 'import', 'later.jsonl', '--replace', ...there)).exitCode).toBe(0);
    expect((await run('deny', 'list', ...there)).stdout).toMatch(/origin +old +.*there/);
    folder.write({ 'cut.jsonl': '{"format":"skillwire-export","version":1,"at":""}\n' });
    expect(await run('state', 'import', 'cut.jsonl', ...there)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Nothing was written'),
    });
  });

  test('reports unusable parts of a state', async () => {
    writeFileSync(join(folder.path, 'elsewhere/state/state.jsonl'), 'nonsense\n', { flag: 'a' });
    const checked = await run('state', 'check', '--state', 'elsewhere');
    expect(checked).toMatchObject({ exitCode: 7, stdout: expect.stringMatching(/^damaged: /) });
  });
});
