/** Output and exit codes of reading commands if an origin does not answer, lies, or serves something else. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MisbehavingHttpServer, misbehavingServer } from '../../src/testing/misbehaving/misbehaving-server.ts';
import { eventually } from '../eventually.ts';
import { type CliFolder, type CliResult, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  folder.write({ 'skills/on-call/SKILL.md': skillText('on-call'), 'empty/readme.txt': '' });
});

afterAll(() => folder.remove());

async function against(
  behavior: string,
  use: (origin: string, server: MisbehavingHttpServer) => Promise<void>,
): Promise<void> {
  const server = await misbehavingServer({ behavior });
  try {
    await use(`mcp:${server.url}`, server);
  } finally {
    await server.close();
  }
}

/** An address at which nobody listens. */
async function deadOrigin(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `mcp:http://127.0.0.1:${port}/mcp`;
}

const states = async (...argv: string[]): Promise<{ result: CliResult; states: string[] }> => {
  const result = await folder.run(['list', ...argv, '--json']);
  const { origins } = JSON.parse(result.stdout) as { origins: { state: string }[] };
  return { result, states: origins.map(({ state }) => state) };
};

describe('list', () => {
  test.each<[string, string, number, RegExp, ...string[]]>([
    ['status-401', 'not-authorized', 3, /not authorized/],
    ['status-403', 'not-authorized', 3, /not authorized/],
    ['extension-absent', 'no-skills-extension', 2, /does not serve skills/, '--forbid-dialect', 'resource-list'],
    ['listing-empty', 'empty', 0, /mcp: no skills listed \(unlisted skills may exist\)\n/],
  ])('reports %s as %s', async (behavior, state, exitCode, said, ...options) => {
    await against(behavior, async (origin) => {
      const { result, states: found } = await states(origin, ...options);
      expect({ found, exitCode: result.exitCode }).toEqual({ found: [state], exitCode });
      const words = await folder.run(['list', origin, ...options]);
      expect({ stdout: words.stdout, exitCode: words.exitCode }).toEqual({ stdout: '', exitCode });
      expect(words.stderr).toMatch(said);
    });
  });

  test('reports a missing server, and one that does not answer in time', async () => {
    const { result, states: found } = await states(await deadOrigin());
    expect({ found, exitCode: result.exitCode }).toEqual({ found: ['unreachable'], exitCode: 4 });
    await against('hang-connect', async (origin) => {
      const slow = await states(origin, '--timeout', '300');
      expect({ found: slow.states, exitCode: slow.result.exitCode }).toEqual({ found: ['unreachable'], exitCode: 4 });
      expect(slow.result.stderr).toContain('unreachable');
    });
  });

  test('reports a command that cannot be started or is not a server', async () => {
    for (const command of ['no-such-program-here', `'${process.execPath}' -e 0`]) {
      const { result, states: found } = await states(`stdio:${command}`);
      expect({ found, exitCode: result.exitCode }, command).toEqual({ found: ['unreachable'], exitCode: 4 });
    }
  });

  test('reports a missing folder', async () => {
    const { result, states: found } = await states('./gone');
    expect({ found, exitCode: result.exitCode }).toEqual({ found: ['failed'], exitCode: 2 });
    expect((await states('./empty')).states).toEqual(['empty']);
  });

  test('shows the answers and exits with 6 if another origin did not answer', async () => {
    const { result, states: found } = await states('./skills', await deadOrigin());
    expect({ found, exitCode: result.exitCode }).toEqual({ found: ['ready', 'unreachable'], exitCode: 6 });
    expect(JSON.parse(result.stdout).skills).toHaveLength(1);
  });

  test('reports entries that were refused, and lists the others', async () => {
    await against('digest-upper-case', async (origin) => {
      const { stdout, stderr, exitCode } = await folder.run(['list', origin]);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^NAME /);
      expect(stderr).toContain('1 unusable entry in the listing');
      expect(stderr).toContain('skill://refunds/SKILL.md');
    });
  });
});

describe('show and read', () => {
  test.each<[string, number, ...string[]]>([
    ['status-401', 3],
    ['extension-absent', 2, '--forbid-dialect', 'resource-list'],
  ])('exit as list does for %s', async (behavior, exitCode, ...options) => {
    await against(behavior, async (origin) => {
      for (const command of ['show', 'read']) {
        const result = await folder.run([command, origin, 'refunds', ...options]);
        expect({ exitCode: result.exitCode, stdout: result.stdout }, command).toEqual({ exitCode, stdout: '' });
      }
    });
  });

  test('exit with 4 for a missing server, by name and by URI', async () => {
    const origin = await deadOrigin();
    expect((await folder.run(['read', origin, 'refunds'])).exitCode).toBe(4);
    expect((await folder.run(['read', origin, 'skill://refunds/SKILL.md'])).exitCode).toBe(4);
  });

  test('read prints no byte of a file that differs from the entry', async () => {
    await against('digest-lie', async (origin) => {
      const { stdout, stderr, exitCode } = await folder.run(['read', origin, 'refunds', '--json']);
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 7 });
      expect(JSON.parse(stderr).error).toMatchObject({ code: 'VERIFICATION_FAILED' });
    });
  });

  test('show reports the file that fails verification', async () => {
    await against('digest-lie', async (origin) => {
      const { stdout, exitCode } = await folder.run(['show', origin, 'refunds']);
      expect(exitCode).toBe(7);
      expect(stdout).toContain('fails verification');
    });
  });

  test('read prints unverifiable content with a remark', async () => {
    await against('dynamic-skill', async (origin) => {
      const { stdout, stderr, exitCode } = await folder.run(['read', origin, 'refunds']);
      expect(exitCode).toBe(0);
      expect(stdout).toContain('name: refunds');
      expect(stderr).toContain('Not verified');
      expect((await folder.run(['list', origin])).stdout).toMatch(/^refunds .*unverifiable/m);
      const approve = await folder.run(['approve', origin, 'refunds']);
      expect(approve.exitCode).toBe(5);
      expect(approve.stderr).toContain('Cannot store an approval for "refunds"');
    });
  });
});

describe('a token', () => {
  test('is read from the environment and sent, and shown nowhere', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization, request.headers['x-key']?.toString());
      response.writeHead(401).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `mcp:http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const argv = ['list', origin, '--token-env', 'TOKEN', '--header', 'X-Key=KEY'];
    const { exitCode, stdout, stderr } = await folder.run(argv, { TOKEN: 's3cret', KEY: 'k3y' });
    expect(exitCode).toBe(3);
    expect(seen).toContain('Bearer s3cret');
    expect(seen).toContain('k3y');
    expect(stdout + stderr).not.toMatch(/s3cret|k3y/);
    expect((await folder.run(argv)).stderr).toContain('The environment variable "KEY"');
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('Ctrl-C', () => {
  test('ends a command that waits for an answer, with 130', async () => {
    await against('hang-list', async (origin, server) => {
      const running = folder.start(['list', origin]);
      await eventually(() => expect(server.requests.length).toBeGreaterThan(0));
      running.child.kill('SIGINT');
      expect(await running.ended).toMatchObject({ exitCode: 130, stdout: '', stderr: 'skillwire: Interrupted.\n' });
    });
  });

  test('stops the started server', async () => {
    const server =
      'process.stdin.on("data", () => {}); process.stderr.write(""); require("fs").writeFileSync("pid", String(process.pid))';
    const running = folder.start(['list', `stdio:'${process.execPath}' -e '${server}'`]);
    const pid = await eventually(async () => {
      const { readFileSync } = await import('node:fs');
      const read = Number(readFileSync(`${folder.path}/pid`, 'utf8'));
      expect(read).toBeGreaterThan(0);
      return read;
    });
    running.child.kill('SIGINT');
    expect((await running.ended).exitCode).toBe(130);
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  });
});
