/** A backup and later decisions: an import revives nothing silently, and a state that was rolled back is noticed. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { companyConfiguration, listedUris, type ServedFolder, startServing } from '../served-folder.ts';
import { type CliResult, skillText } from './cli-process.ts';

let served: ServedFolder;
const tokens: Record<string, string> = {};

const run = (...argv: readonly string[]): Promise<CliResult> => served.folder.run(argv);

async function json(...argv: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await run(...argv, '--json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function audit(): Promise<readonly { action: string; key?: readonly string[]; reason?: string }[]> {
  const { stdout } = await run('audit', '--json');
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function addToken(name: string): Promise<void> {
  tokens[name] = String((await json('token', 'add', name, '--profile', 'everything'))['token']);
}

async function approve(name: string): Promise<void> {
  const { waiting } = (await json('waiting')) as { waiting: readonly { name: string; setDigest: string }[] };
  const digest = waiting.find((skill) => skill.name === name)?.setDigest ?? '';
  expect(await run('approve', 'docs', name, '--yes', digest)).toMatchObject({ exitCode: 0 });
}

const names = async (): Promise<readonly string[]> =>
  ((await json('token', 'list'))['tokens'] as { name: string }[]).map(({ name }) => name);
const approved = async (): Promise<readonly string[]> =>
  ((await json('approvals'))['approvals'] as { name: string }[]).map(({ name }) => name);

const stateFile = (name = 'state'): string => join(served.folder.path, 'no-home/state', `${name}.jsonl`);

beforeAll(async () => {
  served = await startServing({
    'skillwire.json': companyConfiguration,
    'content/docs/refunds/SKILL.md': skillText('refunds'),
    'content/docs/style/SKILL.md': skillText('style'),
  });
  for (const name of ['kept', 'leaked']) await addToken(name);
  await eventually(async () => {
    expect(((await json('waiting'))['waiting'] as unknown[]).length).toBe(2);
  });
  await approve('refunds');
  await eventually(async () =>
    expect(await listedUris(served.mcp, tokens['kept'])).toEqual(['skill://docs/refunds/SKILL.md']),
  );
  const stops = async (): Promise<number> => (await audit()).filter(({ action }) => action === 'unserve').length;
  const before = await stops();
  await run('deny', 'add', '--match', 'old/*', '--reason', 'lifted later');
  expect(await run('state', 'export', 'backup.jsonl')).toMatchObject({ exitCode: 0 });
  copyFileSync(stateFile(), stateFile('old'));
  await run('token', 'revoke', 'leaked', '--reason', 'found in a log');
  await run('revoke', 'docs', 'refunds', '--reason', 'wrong steps');
  // The server records that it stopped; only then the audit is complete.
  await eventually(async () => expect(await stops()).toBeGreaterThan(before));
  await run('deny', 'remove', '--match', 'old/*');
  await run('deny', 'add', '--match', 'new/*', '--reason', 'since the backup');
}, 120_000);

afterAll(() => served.stop());

describe('an import of an older backup', () => {
  test('lists what it would revive, writes nothing and exits with 5', async () => {
    const before = await audit();
    const { exitCode, stderr } = await run('state', 'import', 'backup.jsonl');
    expect(exitCode).toBe(5);
    expect(stderr).toMatch(/token "leaked".*found in a log/);
    expect(stderr).toMatch(/approval of "skill:\/\/refunds\/SKILL\.md" of "docs".*wrong steps/);
    expect(stderr).toContain('--revive approvals,tokens');
    expect(stderr).toContain('--skip-revoked');
    expect(stderr).not.toContain('kept');
    expect(await names()).toEqual(['kept']);
    expect(await approved()).toEqual([]);
    expect(await listedUris(served.mcp, tokens['leaked'])).toBe(401);
    expect(await audit()).toEqual(before);
  });

  test('prints the same list as JSON, and with --dry-run', async () => {
    const { stdout, exitCode } = await run('state', 'import', 'backup.jsonl', '--json');
    expect(exitCode).toBe(5);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ imported: false, revoked: [] });
    expect(report.revives).toEqual([
      expect.objectContaining({ kind: 'approvals', key: ['approval', 'docs', 'skill://refunds/SKILL.md'] }),
      expect.objectContaining({ kind: 'tokens', name: 'leaked', reason: 'found in a log' }),
    ]);
    expect(report.restores).toEqual([{ key: ['deny', 'match', 'old/*'], what: expect.any(String) }]);
    const dry = await run('state', 'import', 'backup.jsonl', '--dry-run', '--json');
    expect(dry.exitCode).toBe(5);
    expect(JSON.parse(dry.stdout)).toEqual(report);
    const allowed = await run('state', 'import', 'backup.jsonl', '--dry-run', '--revive', 'tokens,approvals');
    expect(allowed.exitCode).toBe(0);
    expect(await names()).toEqual(['kept']);
  });

  test('refuses an unknown kind', async () => {
    const { exitCode, stderr } = await run('state', 'import', 'backup.jsonl', '--revive', 'everything');
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('tokens') });
  });

  test('still refuses a kind that was not named', async () => {
    const { exitCode, stderr } = await run('state', 'import', 'backup.jsonl', '--revive', 'approvals');
    expect(exitCode).toBe(5);
    expect(stderr).toContain('token "leaked"');
    expect(await approved()).toEqual([]);
  });

  test('omits revoked values with --skip-revoked, and removes no denial', async () => {
    expect(await run('state', 'import', 'backup.jsonl', '--skip-revoked')).toMatchObject({ exitCode: 0 });
    expect(await names()).toEqual(['kept']);
    expect(await approved()).toEqual([]);
    expect((await run('deny', 'list')).stdout).toContain('new/*');
    expect(await run('state', 'check')).toMatchObject({ exitCode: 0 });
  });

  test('revives only the named kind, and records it in the audit', async () => {
    const argv = ['state', 'import', 'backup.jsonl', '--skip-revoked', '--reason', 'RESTORE-1'];
    expect(await run(...argv, '--revive', 'approvals')).toMatchObject({ exitCode: 0 });
    expect(await approved()).toEqual(['refunds']);
    expect(await names()).toEqual(['kept']);
    expect(await run(...argv, '--revive', 'tokens')).toMatchObject({ exitCode: 0 });
    expect(await names()).toEqual(['kept', 'leaked']);
    await eventually(async () =>
      expect(await listedUris(served.mcp, tokens['leaked'])).toEqual(['skill://docs/refunds/SKILL.md']),
    );
    expect((await audit()).filter(({ action }) => action === 'revive')).toMatchObject([
      { key: ['approval', 'docs', 'skill://refunds/SKILL.md'], reason: 'RESTORE-1' },
      { key: ['token', expect.any(String)], reason: 'RESTORE-1' },
    ]);
    expect(await run('state', 'check')).toMatchObject({ exitCode: 0 });
  });
});

describe('a state that was rolled back', () => {
  test('is reported with the restored and the lost decisions', async () => {
    await run('token', 'revoke', 'leaked', '--reason', 'again');
    await run('revoke', 'docs', 'refunds', '--reason', 'again');
    expect(await run('state', 'check')).toMatchObject({ exitCode: 0 });
    // A running server would write to the file while it is replaced.
    served.server.child.kill();
    await served.server.ended;
    copyFileSync(stateFile('old'), stateFile());
    const { exitCode, stdout } = await run('state', 'check');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^outdated: .*token "leaked".*skillwire token revoke/m);
    expect(stdout).toMatch(/^outdated: .*approval of "skill:\/\/refunds\/SKILL\.md".*skillwire revoke/m);
    expect(stdout).toMatch(/^outdated: .*denial of match "new\/\*".*skillwire deny add/m);
    expect(stdout).toMatch(/^outdated: .*newest decision/m);
    const { faults } = (await json('state', 'check')) as { faults: { kind: string; remedy: string }[] };
    expect(faults.map(({ kind }) => kind)).toEqual(['outdated', 'outdated', 'outdated', 'outdated']);
  });

  test('is fine again after the decisions are repeated', async () => {
    await run('token', 'revoke', 'leaked');
    await run('revoke', 'docs', 'refunds');
    await run('deny', 'add', '--match', 'new/*');
    expect(await run('state', 'check')).toMatchObject({ exitCode: 0, stdout: '' });
  });
});
