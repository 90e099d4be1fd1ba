/** Deciding about the queue of a gateway: one plan for all waiting skills, a plan from a file, and their refusals. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MisbehavingHttpServer, misbehavingServer } from '../../src/testing/misbehaving/misbehaving-server.ts';
import { eventually } from '../eventually.ts';
import { runToEnd } from '../referees/process-group.ts';
import { listedUris, listeningAt, type ServingAddress } from '../served-folder.ts';
import { type CliFolder, type CliProcess, type CliResult, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;
let broken: MisbehavingHttpServer;
let server: CliProcess;
let address: ServingAddress;

interface Waiting {
  readonly planDigest: string | null;
  readonly plans: readonly { readonly planDigest: string; readonly command: string }[];
  readonly waiting: readonly {
    readonly origin: string;
    readonly name: string;
    readonly uri: string;
    readonly setDigest: string;
    readonly command: string | null;
  }[];
}

const run = (...argv: readonly string[]): Promise<CliResult> => folder.run(argv);
const waiting = async (): Promise<Waiting> => JSON.parse((await run('waiting', '--json')).stdout) as Waiting;
const names = async (): Promise<readonly string[]> => (await waiting()).waiting.map(({ name }) => name).sort();

async function audited(action: string): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await run('audit', '--json');
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return rows.filter((row) => row['action'] === action);
}

/** Runs a line of output in a shell, as if a person copied it. */
async function paste(command: string): Promise<{ exitCode: number; output: string }> {
  const main = join(import.meta.dirname, '../../dist/cli/main.js');
  const script = `skillwire() { "${process.execPath}" "${main}" "$@"; }\n${command}`;
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder.path, SKILLWIRE_HOME: join(folder.path, 'no-home') };
  const { exitCode, stdout, stderr } = await runToEnd('sh', ['-c', script], {
    cwd: folder.path,
    env,
    deadlineMs: 60_000,
  });
  return { exitCode, output: stdout + stderr };
}

beforeAll(async () => {
  folder = cliFolder();
  broken = await misbehavingServer({ behavior: 'digest-lie' });
  folder.write({
    'skillwire.json': JSON.stringify({
      origins: { docs: './docs', bad: { mcp: broken.url, include: ['refunds/'] } },
      policy: { mode: 'approved-only' },
    }),
    'docs/refunds/SKILL.md': skillText('refunds'),
    'docs/my tools/merge/SKILL.md': skillText('merge', 'Run scripts/merge.sh with https://files.example.net\n'),
    'docs/my tools/merge/scripts/merge.sh': '#!/bin/sh\necho merged\n',
    'docs/style/SKILL.md': skillText('style'),
  });
  await folder.trust();
  server = folder.start(['serve', '--http', '0', '--json']);
  address = await listeningAt(server);
  await eventually(async () => expect(await names()).toEqual(['merge', 'refunds', 'refunds', 'style']), 200);
}, 120_000);

afterAll(async () => {
  server.child.kill();
  await server.ended;
  await broken.close();
  folder.remove();
});

describe('waiting skills', () => {
  test('are printed with the command to copy for each skill, and one for all', async () => {
    const { waiting: rows, planDigest, plans } = await waiting();
    const { stdout, exitCode } = await run('waiting');
    expect(exitCode).toBe(1);
    for (const { command } of rows) expect(stdout).toContain(`  ${command}\n`);
    expect(stdout).toContain(`Approve all 4:\n  skillwire approve --all --yes ${planDigest}\n`);
    expect(stdout).toContain('Review one by one:\n  skillwire review\n');
    expect(plans).toEqual([{ planDigest, command: `skillwire approve --all --yes ${planDigest}` }]);
    const merge = rows.find(({ name }) => name === 'merge');
    expect(merge?.command).toBe(`skillwire approve docs 'my tools/merge' --yes ${merge?.setDigest}`);
    const { exitCode: pasted, output } = await paste(merge?.command ?? '');
    expect(pasted, output).toBe(0);
    expect(await names()).toEqual(['refunds', 'refunds', 'style']);
    await eventually(async () =>
      expect(await listedUris(address.mcp)).toEqual(['skill://docs/my%20tools/merge/SKILL.md']),
    );
    expect((await run('revoke', 'docs', 'my tools/merge')).exitCode).toBe(0);
    await eventually(async () => expect(await names()).toContain('merge'));
  });

  test('name the configuration of the server, if another one or none applies', async () => {
    folder.write({ 'other/here/readme.txt': '' });
    const elsewhere = folder.startIn(join(folder.path, 'other'), ['waiting', '--json', '--state', '../no-home'], {
      HOME: join(folder.path, 'other'),
    });
    const { stdout } = await elsewhere.ended;
    const config = join(folder.path, 'skillwire.json');
    const { planDigest, plans } = JSON.parse(stdout) as Waiting;
    expect(plans).toHaveLength(1);
    expect(plans[0]?.command).toBe(`skillwire approve --all --yes ${planDigest} --config ${config} --state ../no-home`);
  });

  test('need a terminal for review, and the message says what to run without one', async () => {
    const { planDigest } = await waiting();
    const { exitCode, stderr } = await run('review');
    expect(exitCode).toBe(5);
    expect(stderr).toContain(`  skillwire approve --all --yes ${planDigest}\n`);
    const one = await run('review', 'docs', '--config', 'skillwire.json');
    expect(one.stderr).toMatch(/ {2}skillwire approve docs --all --yes sha256:\w{64} --config skillwire.json\n/);
    expect((await run('review', 'nowhere')).exitCode).toBe(2);
  });

  test('are listed with requests by review --json, which asks nothing', async () => {
    const { stdout, exitCode } = await run('review', 'docs', '--json');
    expect(exitCode).toBe(1);
    const plan = JSON.parse(stdout) as Record<string, unknown>;
    expect(plan).toMatchObject({ failed: [], command: expect.stringContaining('approve docs --all --yes') });
    expect(plan['waiting']).toContainEqual(
      expect.objectContaining({
        name: 'merge',
        why: 'first',
        requests: expect.objectContaining({ scripts: ['scripts/merge.sh'], hosts: ['files.example.net'] }),
      }),
    );
    const all = await run('review', '--json');
    expect(all.exitCode).toBe(7);
    expect(JSON.parse(all.stdout)).toMatchObject({ failed: [{ origin: 'bad', code: 'VERIFICATION_FAILED' }] });
  });
});

describe('one plan', () => {
  test('approves nothing without a terminal, and shows what it would approve', async () => {
    const { exitCode, stderr } = await run('approve', 'docs', '--all');
    expect(exitCode).toBe(5);
    expect(stderr).toContain('merge of docs: new, 2 files,');
    expect(stderr).toContain('scripts: scripts/merge.sh');
    expect(stderr).toMatch(/this needs a terminal.*\n {2}skillwire approve docs --all --yes sha256:\w{64}\n/);
    expect(await names()).toHaveLength(4);
  });

  test('that is outdated is refused, and the new one is printed', async () => {
    const { planDigest } = await waiting();
    writeFileSync(join(folder.path, 'docs/style/SKILL.md'), skillText('style', 'Second.\n'));
    const refused = await run('approve', '--all', '--yes', planDigest ?? '');
    expect(refused.exitCode).toBe(5);
    const [, now] = /plan is now (sha256:\w{64}), not/.exec(refused.stderr) ?? [];
    expect(now).not.toBe(planDigest);
    expect(refused.stderr).toContain(`plan ${now}\n`);
    expect(refused.stderr).toContain(`skillwire approve --all --yes ${now}\n`);
    await eventually(async () => expect((await waiting()).planDigest).toBe(now), 200);
    expect(await audited('approve')).toHaveLength(1);
  });

  test('with grants has another digest', async () => {
    const [plain, more] = await Promise.all([
      run('approve', 'docs', '--all', '--json'),
      run('approve', 'docs', '--all', '--execution', '--json'),
    ]);
    const digest = ({ stdout }: CliResult): string => (JSON.parse(stdout) as { planDigest: string }).planDigest;
    expect(digest(plain)).not.toBe(digest(more));
    expect((JSON.parse(more.stdout) as { command: string }).command).toContain('--all --execution --yes');
  });

  test('approves all except the skill that fails verification, each with a row in the audit', async () => {
    const { plans } = await waiting();
    const { exitCode, output } = await paste(`${plans[0]?.command} --reason "OPS-12"`);
    expect(exitCode, output).toBe(7);
    expect(output).toMatch(/failed: refunds of bad: /);
    expect(output).toContain('Approved 3 of 4 skills. 1 skill failed.');
    expect(await names()).toEqual(['refunds']);
    const rows = (await audited('approve')).slice(1);
    expect(rows.map(({ label, uri, reason }) => `${label} ${uri} ${reason}`).sort()).toEqual([
      'docs skill://my%20tools/merge/SKILL.md OPS-12',
      'docs skill://refunds/SKILL.md OPS-12',
      'docs skill://style/SKILL.md OPS-12',
    ]);
    await eventually(async () => expect(await listedUris(address.mcp)).toHaveLength(3));
    expect(await run('approve', 'docs', '--all')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Nothing is waiting'),
    });
  });
});

describe('a plan from a file', () => {
  const file = (): string => join(folder.path, 'plan.json');
  const edited = (change: (plan: { waiting: Record<string, unknown>[] }) => void): void => {
    const plan = JSON.parse(readFileSync(file(), 'utf8')) as { waiting: Record<string, unknown>[] };
    change(plan);
    writeFileSync(file(), JSON.stringify(plan));
  };

  test('approves the versions that it names, and no others', async () => {
    for (const name of ['refunds', 'style', 'my tools/merge']) await run('revoke', 'docs', name);
    await eventually(async () => expect(await names()).toHaveLength(4), 200);
    writeFileSync(file(), (await run('review', 'docs', '--json')).stdout);
    const question = await run('approve', '--from-file', 'plan.json', '--json');
    expect(question.exitCode).toBe(5);
    const { command } = JSON.parse(question.stdout) as { command: string };
    writeFileSync(join(folder.path, 'docs/refunds/SKILL.md'), skillText('refunds', 'Newer.\n'));
    const { exitCode, output } = await paste(command);
    expect(exitCode, output).toBe(6);
    expect(output).toMatch(/failed: refunds of docs: Not approved: "refunds" now has the set digest/);
    expect(output).toContain('Approved 2 of 3 skills. 1 skill failed.');
    // Approved skills stay approved.
    expect((await paste(command)).output).toContain('already approved: style of docs');
  });

  test.each<[string, (plan: { waiting: Record<string, unknown>[]; version?: number }) => void, RegExp]>([
    ['another version', (plan) => (plan.version = 2), /no "version": 1/],
    ['a row without a URI', ({ waiting: [, row] }) => delete row?.['uri'], /row 2 \(refunds\) has no valid "uri"/],
    [
      'a digest that is none',
      ({ waiting: [row] }) => Object.assign(row ?? {}, { setDigest: 'sha256:1' }),
      /row 1 .* no valid "setDigest"/,
    ],
    ['no digest', ({ waiting: [row] }) => Object.assign(row ?? {}, { setDigest: null }), /row 1 .* has no set digest/],
    [
      'a denied skill',
      ({ waiting: [row] }) => Object.assign(row ?? {}, { state: 'denied' }),
      /row 1 .* is "denied", not waiting/,
    ],
    ['a row that is no object', ({ waiting: rows }) => rows.push(7 as never), /row 4 has no valid "origin"/],
    [
      'two versions of a skill',
      ({ waiting: rows }) => rows.push({ ...rows[0], setDigest: `sha256:${'0'.repeat(64)}` }),
      /row 4 .* names another version than an earlier row/,
    ],
  ])('with %s is refused, and the row is named', async (_, change, said) => {
    const before = readFileSync(file());
    edited(change);
    const { exitCode, stderr } = await run('approve', '--from-file', 'plan.json');
    writeFileSync(file(), before);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(said) });
  });

  test('that is not a plan is refused', async () => {
    for (const [text, said] of [
      ['no', 'it is not JSON'],
      [`${'['.repeat(100)}${']'.repeat(100)}`, 'nested too deeply'],
      ['[]', 'no "version": 1'],
    ] as const) {
      folder.write({ 'none.json': text });
      expect(await run('approve', '--from-file', 'none.json')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(said),
      });
    }
    expect(await run('approve', '--from-file', 'gone.json')).toMatchObject({ exitCode: 2 });
    expect(await run('approve', 'docs', '--from-file', 'plan.json')).toMatchObject({ exitCode: 2 });
    expect(await run('approve', 'docs', 'style', '--all')).toMatchObject({ exitCode: 2 });
    expect(await run('approve', 'docs')).toMatchObject({ exitCode: 2 });
  });

  test('with an origin that is not configured approves the others', async () => {
    edited(({ waiting: rows }) => Object.assign(rows[0] ?? {}, { origin: 'gone' }));
    const { stdout } = await run('approve', '--from-file', 'plan.json', '--json');
    const { planDigest, failed } = JSON.parse(stdout) as { planDigest: string; failed: unknown[] };
    expect(failed).toContainEqual(expect.objectContaining({ origin: 'gone', code: 'ORIGIN_NOT_FOUND' }));
    const done = await run('approve', '--from-file', 'plan.json', '--yes', planDigest, '--json');
    expect(done.exitCode).toBe(6);
  });
});

describe('a leftover row', () => {
  test('of a label that left the configuration is not listed, whether a server ran since or not', async () => {
    server.child.kill();
    await server.ended;
    expect((await names()).length).toBeGreaterThan(0);
    folder.write({
      'skillwire.json': JSON.stringify({ origins: { renamed: './docs' }, policy: { mode: 'approved-only' } }),
    });
    folder.write({ 'bad/refunds/SKILL.md': skillText('refunds') });
    expect(await names()).toEqual([]);
    expect((await run('waiting')).exitCode).toBe(0);
    // An unknown label is not read as a folder of the same name.
    expect(await run('approve', 'bad', '--all')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Nothing is waiting'),
    });
  });
});
