/** `list`, `show` and `read`, over a folder, HTTP in both eras, and stdio. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliFolder, cliFolder } from './cli-process.ts';
import { type ServedSkills, sampleSkills, serveSkills } from './served-skills.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0xff, 0xfe]);

let folder: CliFolder;
let served: ServedSkills;
const origins = new Map<string, readonly string[]>();

beforeAll(async () => {
  folder = cliFolder();
  folder.write(sampleSkills);
  folder.write({ 'skills/pdf-tools/assets/logo.png': '' });
  writeFileSync(join(folder.path, 'skills/pdf-tools/assets/logo.png'), png);
  served = await serveSkills(folder);
  origins.set('a folder', ['./skills']);
  origins.set('HTTP, 2025', [served.origin, '--era', 'legacy']);
  origins.set('HTTP, 2026-07-28', [served.origin, '--era', 'modern']);
  origins.set('stdio', [`stdio:'${process.execPath}' ${main} serve --stdio ./skills`]);
});

afterAll(async () => {
  await served.stop();
  folder.remove();
});

const kinds = ['a folder', 'HTTP, 2025', 'HTTP, 2026-07-28', 'stdio'];

function run(kind: string, command: string, ...rest: string[]) {
  const [origin = '', ...options] = origins.get(kind) ?? [];
  return folder.run([command, origin, ...rest, ...options]);
}

describe.each(kinds)('over %s', (kind) => {
  test('list prints a table and the number of skills', async () => {
    const { stdout, stderr, exitCode } = await run(kind, 'list');
    expect(stderr).toMatch(/3 skills from /);
    expect(exitCode).toBe(0);
    const [title, ...rows] = stdout.trimEnd().split('\n');
    expect(title).toMatch(/^NAME +FILES +SIZE +STATE +DESCRIPTION$/);
    // By name, though the path of refunds comes first.
    expect(rows.map((row) => row.split(/ +/)[0])).toEqual(['on-call', 'pdf-tools', 'refunds']);
    const state = kind === 'a folder' ? 'local' : 'not approved';
    expect(rows.find((row) => row.startsWith('pdf-tools'))).toMatch(
      new RegExp(`^pdf-tools +3 +\\d+ B +${state} +Merges and splits PDF`),
    );
  });

  test('list --json has origins, skills and collisions', async () => {
    const { stdout, exitCode } = await run(kind, 'list', '--json');
    expect(exitCode).toBe(0);
    const { version, origins: reports, skills, collisions } = JSON.parse(stdout);
    expect(version).toBe(1);
    expect(reports).toMatchObject([
      { state: 'ready', message: '', skills: 3, refused: [], local: kind === 'a folder' },
    ]);
    if (kind.startsWith('HTTP'))
      expect(reports[0].protocolVersion).toMatch(kind === 'HTTP, 2025' ? /^2025-/ : /^2026-07-28$/);
    expect(skills.map(({ uri }: { uri: string }) => uri)).toEqual([
      'skill://on-call/SKILL.md',
      'skill://pdf-tools/SKILL.md',
      'skill://acme/refunds/SKILL.md',
    ]);
    expect(skills[0]).toMatchObject({ origin: reports[0].origin, verifiable: true, ambiguous: false });
    expect(collisions).toEqual([]);
  });

  test('show prints files, digests and requests of the skill', async () => {
    const { stdout, stderr, exitCode } = await run(kind, 'show', 'pdf-tools', '--fetch');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toContain('skill://pdf-tools/SKILL.md');
    expect(stdout).toMatch(/ scripts\/merge\.sh +\d+ B +- {2}sha256:[0-9a-f]{64}\n/);
    expect(stdout).toContain('Bash(pdftk:*)');
    expect(stdout).toContain('fetch.example.net');
    expect(stdout).toContain('pdf.example.com');
  });

  test('show reads only SKILL.md without --fetch', async () => {
    const { requests, status, setDigest, fetched } = JSON.parse(
      (await run(kind, 'show', 'pdf-tools', '--json')).stdout,
    );
    expect({ status, fetched }).toEqual({ status: 'verifiable', fetched: false });
    expect(setDigest).toMatch(/^sha256:/);
    expect(requests.hosts).toEqual(['pdf.example.com']);
    expect(requests.scripts).toEqual(['scripts/merge.sh']);
  });

  test('read writes the exact bytes to a pipe and to --output', async () => {
    const [origin = '', ...options] = origins.get(kind) ?? [];
    const argv = [main, 'read', origin, 'pdf-tools', 'assets/logo.png', ...options];
    const env = { PATH: process.env['PATH'], SKILLWIRE_HOME: join(folder.path, 'no-home') };
    const piped = await promisify(execFile)(process.execPath, argv, { cwd: folder.path, encoding: 'buffer', env });
    expect(new Uint8Array(piped.stdout)).toEqual(png);
    expect(piped.stderr.toString()).toBe('');
    const { exitCode, stdout } = await run(kind, 'read', 'pdf-tools', 'assets/logo.png', '--output', 'out.png');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(new Uint8Array(readFileSync(join(folder.path, 'out.png')))).toEqual(png);
  });

  test('read --json has digest and content', async () => {
    const text = JSON.parse((await run(kind, 'read', 'acme/refunds', '--json')).stdout);
    expect(text).toMatchObject({ version: 1, verified: true, text: sampleSkills['skills/acme/refunds/SKILL.md'] });
    const blob = JSON.parse((await run(kind, 'read', 'pdf-tools', 'assets/logo.png', '--json')).stdout);
    expect(blob).toMatchObject({ size: png.length, blob: Buffer.from(png).toString('base64') });
  });
});

test.each([['acme/refunds'], ['refunds'], ['skill://acme/refunds/SKILL.md']])(
  'read finds the skill %s',
  async (skill) => {
    const { stdout, exitCode } = await folder.run(['read', served.origin, skill]);
    expect({ stdout, exitCode }).toEqual({ stdout: sampleSkills['skills/acme/refunds/SKILL.md'], exitCode: 0 });
  },
);

test.each([
  [['read', 'no-such-skill'], 'no-such-skill'],
  [['read', 'skill://no-such/SKILL.md'], 'no-such'],
  [['show', 'no-such-skill'], 'no-such-skill'],
  [['read', 'pdf-tools', 'no-such-file.md'], 'no-such-file.md'],
  [['read', 'pdf-tools', '../on-call/SKILL.md'], 'The skill "pdf-tools" has no file'],
  [['read', 'pdf-tools', 'skill://on-call/SKILL.md'], 'The skill "pdf-tools" has no file'],
])('%j fails and names what is missing', async ([command = '', ...rest], said) => {
  const { stdout, stderr, exitCode } = await folder.run([command, served.origin, ...rest]);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain(said);
});

test('list of several origins has their labels, marks shared names and lists both', async () => {
  folder.write({ 'other/on-call/SKILL.md': sampleSkills['skills/on-call/SKILL.md'] ?? '' });
  const { stdout, stderr, exitCode } = await folder.run(['list', 'team=./other', served.origin]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^NAME +ORIGIN /);
  expect(stdout).toMatch(/^on-call \* +team /m);
  expect(stderr).toContain('* 2 skills named on-call: team skill://on-call/SKILL.md');
  const ambiguous = await folder.run(['show', 'team=./other', 'team:on-call']);
  expect(ambiguous.exitCode).toBe(0);
});

test('list reads the origins of skillwire.json', async () => {
  const own = cliFolder();
  own.write({ ...sampleSkills, 'skillwire.json': '{"origins": {"docs": "./skills"}}' });
  expect((await own.run(['list'])).stderr).toContain('3 skills from docs\n');
  expect((await own.run(['read', 'docs', 'on-call'])).stdout).toBe(sampleSkills['skills/on-call/SKILL.md']);
  own.remove();
});

test('reading writes nothing to the state', async () => {
  const own = cliFolder();
  own.write(sampleSkills);
  for (const argv of [
    ['list', './skills'],
    ['show', './skills', 'on-call'],
    ['approvals'],
    ['audit'],
    ['cache', 'list'],
  ])
    expect((await own.run(argv)).exitCode, argv.join(' ')).toBe(0);
  // Readings of a folder may be cached for the next start; files that were just written are not.
  const written = existsSync(join(own.path, 'no-home')) ? readdirSync(join(own.path, 'no-home')) : [];
  expect(written.filter((name) => name !== 'cache')).toEqual([]);
  own.remove();
});
