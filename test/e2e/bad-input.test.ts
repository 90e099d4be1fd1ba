/** Input that breaks other servers: each gets a message, and everything else is still served. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/limits.ts';
import { modern } from '../contract/raw-mcp.ts';
import { eventually } from '../eventually.ts';
import { soakFactor } from '../soak-factor.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;
let started: CliProcess | undefined;

beforeEach(() => {
  folder = cliFolder();
  folder.write({ 'skills/good/SKILL.md': skillText('good') });
});

afterEach(async () => {
  started?.child.kill('SIGKILL');
  await started?.ended;
  started = undefined;
  folder.remove();
});

async function serve(...argv: string[]): Promise<string> {
  started = folder.start(['serve', './skills', ...argv, '--http', '0', '--json']);
  const event = JSON.parse(await started.seen('stdout', /\n/)) as { mcp: string };
  return event.mcp;
}

async function uris(mcp: string): Promise<string[]> {
  const { result } = await modern(mcp, 'skills/list');
  return ((result?.['skills'] ?? []) as { uri: string }[]).map(({ uri }) => uri);
}

async function findings(): Promise<{ rule: string; file: string; line?: number; message: string; remedy: string }[]> {
  const { stdout, exitCode } = await folder.run(['validate', './skills', '--json']);
  expect(exitCode).toBe(1);
  return JSON.parse(stdout).findings;
}

async function expectGoodServed(): Promise<void> {
  expect(await uris(await serve())).toEqual(['skill://good/SKILL.md']);
}

describe('a bad skill is a finding, and the good one is served', () => {
  test('frontmatter of 5 MB', async () => {
    folder.write({ 'skills/huge/SKILL.md': `---\nname: huge\ndescription: ${'x'.repeat(5_000_000)}\n---\n` });
    const [found] = await findings();
    expect(found).toMatchObject({ rule: 'frontmatter-too-large', file: expect.stringContaining('huge') });
    expect(found?.message).toMatch(/65536|64 KiB|65,536/);
    await expectGoodServed();
  });

  test.each([
    ['flow brackets', '[]'.repeat(32_000)],
    ['deep nesting', `a: ${'['.repeat(30_000)}`],
    ['quotes', `a: ${'"" '.repeat(20_000)}`],
    ['many keys', Array.from({ length: 9_000 }, (_, n) => `k${n}: 1`).join('\n')],
    [
      'aliases that multiply',
      `a: &a [x,x]\n${Array.from({ length: 26 }, (_, n) => `b${n}: &b${n} [*${n === 0 ? 'a' : `b${n - 1}`},*${n === 0 ? 'a' : `b${n - 1}`}]`).join('\n')}`,
    ],
    ['a cycle', 'a: &a [*a]'],
    ['a tag that would run code', 'a: !!js/function "function(){}"'],
  ])('64 KiB of hostile YAML: %s', async (_, yaml) => {
    folder.write({ 'skills/hostile/SKILL.md': `---\nname: hostile\ndescription: x\n${yaml}\n---\n` });
    const found = await findings();
    expect(found.some(({ rule, file }) => rule.startsWith('frontmatter-') && file.includes('hostile'))).toBe(true);
    await expectGoodServed();
  });

  test('invalid UTF-8 in SKILL.md', async () => {
    mkdirSync(join(folder.path, 'skills/latin'));
    writeFileSync(join(folder.path, 'skills/latin/SKILL.md'), Buffer.from(skillText('latin', 'caf\xe9\n'), 'latin1'));
    expect(await findings()).toMatchObject([{ rule: 'skill-md-not-utf8', message: expect.stringMatching(/\d/) }]);
    await expectGoodServed();
  });

  test('a skill with thousands of files', async () => {
    const count = 10_000 * Math.min(soakFactor, 10);
    mkdirSync(join(folder.path, 'skills/many'));
    folder.write({ 'skills/many/SKILL.md': skillText('many') });
    for (let n = 1; n < count; n++) writeFileSync(join(folder.path, `skills/many/f${n}.txt`), '');
    expect(await findings()).toMatchObject([
      { rule: 'skill-too-many-files', message: expect.stringContaining(`${count} files`) },
    ]);
    await expectGoodServed();
  });

  /** Runs `validate` as another user if the tests run as root, who may read everything. */
  async function validateAsNobody(): Promise<{ exitCode: unknown; out: string; err: string }> {
    const main = join(import.meta.dirname, '../../dist/cli/main.js');
    const uid = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    chmodSync(folder.path, 0o755);
    const child = spawn(process.execPath, [main, 'validate', './skills', '--json', '--files'], {
      cwd: folder.path,
      stdio: 'pipe',
      ...uid,
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const exitCode = await new Promise((resolve) => {
      child.once('close', resolve);
    });
    return { exitCode, out, err };
  }

  test.skipIf(process.platform === 'win32')('a file without read permission', async () => {
    folder.write({
      'skills/closed/SKILL.md': skillText('closed'),
      'skills/closed/secret.txt': 'x',
      'skills/shut/SKILL.md': skillText('shut'),
    });
    chmodSync(join(folder.path, 'skills/closed/secret.txt'), 0);
    chmodSync(join(folder.path, 'skills/shut/SKILL.md'), 0);
    const { exitCode, out } = await validateAsNobody();
    expect(exitCode).toBe(1);
    const report = JSON.parse(out);
    expect(report.skills.map(({ uri }: { uri: string }) => uri)).toEqual([
      'skill://closed/SKILL.md',
      'skill://good/SKILL.md',
    ]);
    const rules = report.findings.map(
      ({ rule, file }: { rule: string; file: string }) => `${rule} ${file.replaceAll('\\', '/')}`,
    );
    expect(rules.sort()).toEqual(['file-unreadable skills/closed/secret.txt', 'file-unreadable skills/shut/SKILL.md']);
  });

  test.skipIf(process.platform === 'win32')('a root without read permission', async () => {
    chmodSync(join(folder.path, 'skills'), 0);
    const { exitCode, err } = await validateAsNobody();
    chmodSync(join(folder.path, 'skills'), 0o755);
    expect(exitCode).toBe(2);
    expect(JSON.parse(err).error).toMatchObject({
      code: 'ORIGIN_UNREADABLE',
      message: expect.stringContaining('permissions'),
    });
  });

  test('files whose times lie in the future or long ago', async () => {
    folder.write({ 'skills/good/future.md': 'a', 'skills/good/past.md': 'b' });
    utimesSync(join(folder.path, 'skills/good/future.md'), new Date('2100-01-01'), new Date('2100-01-01'));
    utimesSync(join(folder.path, 'skills/good/past.md'), new Date(0), new Date(0));
    const mcp = await serve();
    const read = async (name: string): Promise<string> => {
      const { result } = await modern(mcp, 'resources/read', { uri: `skill://good/${name}` });
      return ((result?.['contents'] ?? []) as { text: string }[])[0]?.text ?? '';
    };
    expect([await read('future.md'), await read('past.md')]).toEqual(['a', 'b']);
    // An edit after which the file looks older than before, as when a clock was set back.
    writeFileSync(join(folder.path, 'skills/good/future.md'), 'c');
    utimesSync(join(folder.path, 'skills/good/future.md'), new Date(1), new Date(1));
    expect(await read('future.md')).toBe('c');
  });
});

describe('a folder that appears and disappears', () => {
  test('is reported, and served again', async () => {
    const mcp = await serve();
    renameSync(join(folder.path, 'skills'), join(folder.path, 'away'));
    await started?.seen('stderr', /cannot be read \(ENOENT\)/);
    expect(await uris(mcp)).toEqual([]);
    const ready = async (): Promise<readonly unknown[]> => {
      const answer = await fetch(mcp.replace(/mcp$/, 'readyz'));
      return [answer.status, await answer.text()];
    };
    expect(await ready()).toEqual([503, 'nothing to serve\n']);
    renameSync(join(folder.path, 'away'), join(folder.path, 'skills'));
    await started?.seen('stderr', /1 skill added/);
    expect(await uris(mcp)).toEqual(['skill://good/SKILL.md']);
    expect(await ready()).toEqual([200, 'ready\n']);
  });

  // User namespaces limit watches for one process; Linux allows them without root.
  const limited = ['-Ur', 'sh', '-c', 'echo 1 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"'];
  test.skipIf(spawnSync('unshare', [...limited, 'true']).status !== 0)(
    'is polled beyond the limit of watches, with a warning',
    async () => {
      const main = join(import.meta.dirname, '../../dist/cli/main.js');
      const command = [...limited, process.execPath, main, 'serve', './skills', '--http', '0', '--no-cache'];
      const child = spawn('unshare', command, { cwd: folder.path, stdio: ['ignore', 'ignore', 'pipe'] });
      try {
        let said = '';
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          said += text;
        });
        await eventually(() =>
          expect(said).toMatch(/warning: folders cannot be watched \(ENOSPC\), .*max_user_watches/),
        );
        folder.write({ 'skills/late/SKILL.md': skillText('late') });
        await eventually(() => expect(said).toContain('1 skill added'));
      } finally {
        child.kill('SIGKILL');
      }
    },
  );
});

describe('malformed requests', () => {
  const raw = (mcp: string, text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(mcp);
      const socket = createConnection(Number(port), hostname, () => socket.write(text));
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('data', () => {
        if (answer.includes('\r\n\r\n')) socket.destroy();
      });
      socket.once('close', () => resolve(answer)).once('error', reject);
    });

  test('broken HTTP is refused and the server continues', async () => {
    const mcp = await serve();
    for (const [text, status] of [
      ['nonsense\r\n\r\n', 400],
      ['GET /mcp HTTP/1.1\r\n\r\n', 403],
      [
        'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        400,
      ],
      [`GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'y'.repeat(limits.http.headerBytes)}\r\n\r\n`, 431],
      ['GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n', 403],
      [
        'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\nConnection: close\r\n\r\n',
        413,
      ],
      [
        'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n' +
          `${(6 * 2 ** 20).toString(16)}\r\n${' '.repeat(6 * 2 ** 20)}\r\n0\r\n\r\n`,
        413,
      ],
    ] as const)
      expect(await raw(mcp, text), text.slice(0, 60)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(await uris(mcp)).toEqual(['skill://good/SKILL.md']);
  });

  test('broken JSON-RPC over stdio is answered or dropped, never fatal, and stdout has only the protocol', async () => {
    started = folder.start(['serve', './skills', '--stdio']);
    const { child } = started;
    const send = (line: string): boolean | undefined => child.stdin?.write(`${line}\n`);
    for (const line of [
      'garbage',
      '[]',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '\u0000',
      '"text"',
      '{"id":{}}',
    ])
      send(line);
    const init = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    send(JSON.stringify({ jsonrpc: '2.0', id: 'init', method: 'initialize', params: init }));
    await started.seen('stdout', /"id":"init"/);
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    send(JSON.stringify({ jsonrpc: '2.0', id: 'bad', method: 'skills/get', params: { uri: 5 } }));
    send(JSON.stringify({ jsonrpc: '2.0', id: 'unknown', method: 'no/such' }));
    send(JSON.stringify({ jsonrpc: '2.0', id: 'list', method: 'skills/list' }));
    const out = await started.seen('stdout', /"id":"list"/);
    const answers = new Map(
      out
        .trim()
        .split('\n')
        .map((line) => {
          const { id, error, result } = JSON.parse(line);
          return [id, error?.code ?? result];
        }),
    );
    expect(answers.get('bad')).toBe(-32602);
    expect(answers.get('unknown')).toBe(-32601);
    expect(answers.get('list').skills).toHaveLength(1);
    child.stdin?.end();
    expect((await started.ended).exitCode).toBe(0);
  });
});

test('a client over stdio that never reads its answer does not keep the process alive', async () => {
  folder.write({ 'skills/good/big.txt': 'x'.repeat(5_000_000) });
  const main = join(import.meta.dirname, '../../dist/cli/main.js');
  const child = spawn(process.execPath, [main, 'serve', './skills', '--stdio'], {
    cwd: folder.path,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  const init = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: init })}\n`);
  await new Promise((resolve) => {
    child.stdout.once('readable', resolve);
  });
  child.stdout.pause();
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const read = { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'skill://good/big.txt' } };
  child.stdin.write(`${JSON.stringify(read)}\n`);
  child.stdin.end();
  expect(await ended).toBe(0);
});

test.skipIf(process.platform !== 'linux')(
  'without free file handles nothing is removed, and edits appear later',
  async () => {
    folder.write({ 'skills/other/SKILL.md': skillText('other') });
    const main = join(import.meta.dirname, '../../dist/cli/main.js');
    const command = [process.execPath, main, 'serve', './skills', '--http', '0', '--json'];
    const child = spawn('sh', ['-c', 'ulimit -n 200 && exec "$0" "$@"', ...command], {
      cwd: folder.path,
      stdio: 'pipe',
    });
    try {
      let err = '';
      child.stderr.on('data', (chunk) => {
        err += chunk;
      });
      const { mcp } = JSON.parse(String(await new Promise((resolve) => child.stdout.once('data', resolve))));
      const { hostname, port } = new URL(mcp);
      const sockets = Array.from({ length: 250 }, () => createConnection(Number(port), hostname).on('error', () => {}));
      await eventually(() => expect(readdirSync(`/proc/${child.pid}/fd`).length).toBeGreaterThanOrEqual(198));
      folder.write({ 'skills/good/SKILL.md': skillText('good', 'Edited.\n'), 'skills/new/SKILL.md': skillText('new') });
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      for (const socket of sockets) socket.destroy();
      await eventually(async () =>
        expect(await uris(mcp)).toEqual(['skill://good/SKILL.md', 'skill://new/SKILL.md', 'skill://other/SKILL.md']),
      );
      expect(err).not.toMatch(/removed/);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
