/** The command `verify` as a person and as a pipeline use it: what it prints, what it writes, and how it ends. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MisbehavingHttpServer, misbehavingServer } from '../../src/testing/misbehaving/misbehaving-server.ts';
import { eventually } from '../eventually.ts';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';
import { sampleSkills, serveSkills } from './served-skills.ts';

let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  folder.write(sampleSkills);
  for (let number = 1; number <= 40; number++)
    folder.write({
      [`many/skill-${number}/SKILL.md`]: skillText(`skill-${number}`),
      [`many/skill-${number}/a.md`]: `${number}\n`,
    });
});

afterAll(() => folder.remove());

/** Runs the command against a server that does one thing wrong. */
async function verify(behavior: string | undefined, ...argv: readonly string[]) {
  await using server = await misbehavingServer(behavior === undefined ? {} : { behavior });
  return await folder.run(['verify', `mcp:${server.url}`, ...argv]);
}

describe('verify', () => {
  test('prints only the totals if everything verifies; with --verbose one line for each skill, sorted', async () => {
    const served = await serveSkills(folder, './many');
    try {
      const { stdout, stderr, exitCode } = await folder.run(['verify', served.origin, '--verbose']);
      expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
      const lines = stdout.trimEnd().split('\n');
      expect(lines.slice(0, 40)).toEqual([...lines.slice(0, 40)].sort());
      expect(
        lines.slice(0, 40).every((line) => /^ok {2}skill-\d+ {2}skill:\/\/skill-\d+\/SKILL\.md {2}2 files$/.test(line)),
      ).toBe(true);
      expect(lines.slice(40)).toEqual([
        'modern 2026-07-28: every file of 40 skills read',
        'legacy 2025-11-25: listing compared, files of 40 skills read again',
        expect.stringMatching(/^40 skills \(80 files, .*\): 40 verified$/),
      ]);
      const short = await folder.run(['verify', served.origin]);
      expect(short).toMatchObject({ stderr: '', exitCode: 0, stdout: lines.slice(40).join('\n').concat('\n') });
    } finally {
      await served.stop();
    }
  });

  test('verifies a program that it starts, and a folder', async () => {
    const main = join(import.meta.dirname, '../../dist/cli/main.js');
    const started = await folder.run(['verify', `stdio:"${process.execPath}" "${main}" serve --stdio ./skills`]);
    expect(started).toMatchObject({ stderr: '', exitCode: 0 });
    expect(started.stdout).toMatch(/^3 skills \(4 files, .*\): 3 verified\n$/m);
    const local = await folder.run(['verify', './skills']);
    expect(local).toMatchObject({ stderr: '', exitCode: 0 });
    expect(local.stdout).toMatch(/^3 skills \(4 files, .*\): 3 verified\n$/m);
  });

  test('names the file that fails verification, the promise, the actual bytes, and the requirement', async () => {
    const { stdout, exitCode } = await verify('digest-lie-file');
    expect(exitCode).toBe(7);
    expect(stdout).toMatch(/^FAILED {2}refunds {2}skill:\/\/refunds\/SKILL\.md {2}4 files$/m);
    expect(stdout).toMatch(
      /^ {4}S-34 {2}skill:\/\/refunds\/\S+: the digest sha256:\w{64} is promised, the bytes have sha256:\w{64}$/m,
    );
    expect(stdout).toMatch(/^S-34 +must +1 {2}Digests are/m);
    expect(stdout).toMatch(/: 2 verified, 1 failed\n$/);
  });

  test.each([
    ['everything holds', undefined, [], 0],
    ['something is advised against', 'colliding-names', [], 1],
    ['no skills are declared', 'extension-absent', ['--forbid-dialect', 'resource-list'], 2],
    ['plain resources are read as skills', 'extension-absent', [], 0],
    ['credentials are wanted', 'status-401', [], 3],
    ['there is no answer in time', 'hang-list', ['--timeout', '700'], 4],
    ['a rule is broken', 'frontmatter-extra-field', [], 7],
    ['not everything can be checked', 'files-513', [], 8],
    ['a file does not come', 'cut-file', [], 8],
    ['a skill is dynamic', 'dynamic-skill', [], 0],
    ['a skill is dynamic and digests are demanded', 'dynamic-skill', ['--require-digests'], 9],
    ['a rule is broken and digests are demanded', 'dynamic-frontmatter-differs', ['--require-digests'], 7],
  ] as const)('if %s, it ends with its code (%s)', async (_, behavior, argv, code) => {
    const { exitCode, stdout, stderr } = await verify(behavior, ...argv);
    expect(exitCode, stdout + stderr).toBe(code);
    expect(stderr).not.toMatch(/Warning| {4}at /);
    expect(stderr === '').toBe(![2, 3, 4].includes(code));
  });

  test('exits with 4 if nothing listens, and with 2 on wrong usage', async () => {
    const server = await misbehavingServer();
    await server.close();
    expect(await folder.run(['verify', `mcp:${server.url}`])).toMatchObject({ exitCode: 4, stdout: '' });
    for (const argv of [
      ['--parallel', '0'],
      ['--parallel', '129'],
      ['--parallel', 'x'],
      ['--format', 'xml'],
      ['--json', '--format', 'sarif'],
      ['--timeout', '0'],
    ]) {
      const { exitCode, stderr } = await folder.run(['verify', './skills', ...argv]);
      expect(exitCode, argv.join(' ')).toBe(2);
      expect(stderr).not.toBe('');
    }
    expect((await folder.run(['verify'])).exitCode).toBe(2);
    expect((await folder.run(['verify', './no-such-folder'])).exitCode).toBe(2);
  });

  test('prints only failures, and with --quiet nothing if there are none', async () => {
    for (const argv of [[], ['--quiet']]) {
      const { stdout, exitCode } = await verify('digest-lie', ...argv);
      expect(exitCode).toBe(7);
      expect(stdout).not.toMatch(/^ok/m);
      expect(stdout).toMatch(/^FAILED {2}refunds/);
      expect(stdout).toMatch(/^3 skills .*1 failed/m);
    }
    expect((await verify('digest-lie', '--verbose')).stdout).toMatch(/^ok {2}release-notes/m);
    expect((await verify(undefined)).stdout).toMatch(/^modern 2026-07-28: /);
    expect(await verify(undefined, '--quiet')).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
    const { skills } = JSON.parse((await verify('digest-lie', '--json', '--quiet')).stdout);
    expect(skills.map(({ name }: { name: string }) => name)).toEqual(['refunds']);
  });

  test('sends one request at a time with --parallel 1', async () => {
    const { stdout, exitCode } = await verify(undefined, '--parallel', '1', '--verbose');
    expect(exitCode).toBe(0);
    expect(stdout.match(/skill:\/\/\S+/g)).toEqual([
      'skill://acme/docs/glossary/SKILL.md',
      'skill://refunds/SKILL.md',
      'skill://release-notes/SKILL.md',
    ]);
  });

  test('uses only one era with --era', async () => {
    const { stdout } = await verify('read-differs-by-era', '--era', 'modern');
    expect(stdout).toContain('3 verified');
    expect(stdout).not.toContain('legacy');
  });
});

describe('verify for programs', () => {
  test('prints JSON of the documented shape', async () => {
    const { stdout, exitCode } = await verify('digest-lie', '--json');
    expect(exitCode).toBe(7);
    const json = JSON.parse(stdout);
    expect(Object.keys(json)).toEqual([
      'version',
      'origin',
      'exitCode',
      'server',
      'counts',
      'eras',
      'requirements',
      'failures',
      'skills',
      'incomplete',
    ]);
    expect(json).toMatchObject({
      version: 1,
      origin: expect.stringMatching(/^mcp:http:\/\/127\.0\.0\.1:\d+\/mcp$/),
      exitCode: 7,
      server: { protocolVersion: '2026-07-28', serverInfo: { name: 'misbehaving-skills' }, directoryRead: true },
      counts: { skills: 3, verified: 2, failed: 1, unverifiable: 0, unchecked: 0, skipped: 0, refused: 0, files: 9 },
      eras: [
        { era: 'modern', state: 'checked', skills: 3 },
        { era: 'legacy', state: 'checked', skills: 3 },
      ],
      requirements: [{ id: 'S-34', level: 'must', count: 1 }],
      failures: [],
      incomplete: [],
    });
    const failed = json.skills.find(({ status }: { status: string }) => status === 'failed');
    expect(failed).toMatchObject({ uri: 'skill://refunds/SKILL.md', failures: [{ requirement: 'S-34' }] });
  });

  test('writes SARIF that code scanning accepts, to a file', async () => {
    const { stdout, exitCode } = await verify('digest-lie', '--format', 'sarif', '--output', 'out.sarif');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 7 });
    const log = JSON.parse(readFileSync(join(folder.path, 'out.sarif'), 'utf8'));
    expect(log).toMatchObject({ version: '2.1.0', runs: [{ tool: { driver: { name: 'skillwire' } } }] });
    expect(log.runs[0].results).toMatchObject([
      {
        ruleId: 'S-34',
        level: 'error',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'refunds/SKILL.md', uriBaseId: '%SRCROOT%' },
              region: { startLine: 1 },
            },
          },
        ],
      },
    ]);
  });

  test('locates failures of a folder in that folder', async () => {
    folder.write({ 'broken/bad/SKILL.md': 'no frontmatter\n', 'broken/good/SKILL.md': skillText('good') });
    const { stdout, exitCode } = await folder.run(['verify', './broken', '--format', 'sarif']);
    expect(exitCode).toBe(1);
    const [result] = JSON.parse(stdout).runs[0].results;
    expect(result).toMatchObject({ ruleId: 'S-5', level: 'warning' });
    expect(result.locations[0].physicalLocation.artifactLocation.uri).toBe('broken');
    expect(result.message.text).toContain('bad/SKILL.md');
  });

  test('explains why there is no result, also as JSON', async () => {
    const { stdout, stderr, exitCode } = await verify('status-401', '--json');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 3 });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'NOT_AUTHORIZED' } });
  });

  test('escapes all text of a server, in every format', async () => {
    for (const behavior of ['terminal-name', 'terminal-uri', 'terminal-read-error', 'bidi-description'])
      for (const format of ['text', 'json', 'sarif']) {
        const { stdout, stderr } = await verify(behavior, '--format', format);
        for (const line of `${stdout}${stderr}`.split('\n'))
          expect(line, `${behavior} ${format}`).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      }
  });
});

describe('verify --changed', () => {
  const readsOf = ({ requests }: MisbehavingHttpServer, from: number): readonly string[] =>
    requests
      .slice(from)
      .flatMap(({ method, params }) => (method === 'resources/read' ? [String(Object(params)['uri'])] : []));

  test('reads only changed skills again', async () => {
    await using server = await misbehavingServer({ behavior: 'rotate-file-honest' });
    const origin = `mcp:${server.url}`;
    expect((await folder.run(['verify', origin])).exitCode).toBe(0);
    let from = server.requests.length;
    const second = await folder.run(['verify', origin, '--changed', '--verbose']);
    expect(second.exitCode).toBe(0);
    expect(second.stdout.match(/^unchanged {2}/gm)).toHaveLength(3);
    expect(second.stdout).toMatch(/: 3 skipped\n$/);
    expect(readsOf(server, from).filter((uri) => !uri.includes('no-such-skill'))).toEqual([]);

    server.advance();
    from = server.requests.length;
    const third = await folder.run(['verify', origin, '--changed']);
    expect(third.stdout).toMatch(/: 1 verified, 2 skipped\n$/);
    expect(readsOf(server, from).filter((uri) => !/refunds|no-such-skill/.test(uri))).toEqual([]);
    expect(readsOf(server, from).length).toBeGreaterThan(3);

    from = server.requests.length;
    await folder.run(['verify', origin]);
    expect(readsOf(server, from).some((uri) => uri.includes('glossary'))).toBe(true);
  });

  test('reads failed skills again, even if unchanged', async () => {
    await using server = await misbehavingServer({ behavior: 'digest-lie' });
    for (let round = 0; round < 2; round++) {
      const { stdout, exitCode } = await folder.run(['verify', `mcp:${server.url}`, '--changed']);
      expect(exitCode).toBe(7);
      expect(stdout).toMatch(/^FAILED {2}refunds/m);
    }
  });
});

describe('verify and Ctrl-C', () => {
  test('exits with 130 and prints the results so far', async () => {
    await using server = await misbehavingServer({ behavior: 'hang-file' });
    const running = folder.start(['verify', `mcp:${server.url}`, '--verbose']);
    await eventually(() => expect(JSON.stringify(server.requests.map(({ params }) => params))).toContain('letter.md'));
    running.child.kill('SIGINT');
    const { stdout, stderr, exitCode } = await running.ended;
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/^ok {2}release-notes/);
    expect(stdout).toMatch(/^not everything checked: it was interrupted before the end\n1 skill .*: 1 verified\n$/m);
    expect(stderr).toContain('Interrupted');
  });

  test('writes the results so far to the file of --output', async () => {
    await using server = await misbehavingServer({ behavior: 'hang-file' });
    const running = folder.start(['verify', `mcp:${server.url}`, '--json', '--output', 'part.json']);
    await eventually(() => expect(JSON.stringify(server.requests.map(({ params }) => params))).toContain('letter.md'));
    running.child.kill('SIGINT');
    expect((await running.ended).exitCode).toBe(130);
    const part = JSON.parse(readFileSync(join(folder.path, 'part.json'), 'utf8'));
    expect(part).toMatchObject({ version: 1, exitCode: 130, incomplete: ['it was interrupted before the end'] });
  });
});
