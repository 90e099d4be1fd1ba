/**
 * Network access of the source for Git repositories. Hosts are judged before git starts, git is bound to the judged addresses, and
 * redirects follow our rules. Real servers, the system's git.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import type { GitServer } from '../../git-server.ts';
import {
  answers,
  at,
  blocked,
  env,
  found,
  gitOfVersion,
  list,
  moveTo,
  newUser,
  program,
  serve,
  unknown,
  windows,
} from './reading-git.ts';

beforeEach(newUser);

describe('the host of a repository', () => {
  test.each([
    ['http, an address', (port: number) => `http://127.0.0.1:${port}/repo.git`],
    ['http, an address in another spelling', (port: number) => `http://2130706433:${port}/repo.git`],
    ['http, a name', (port: number) => `http://localhost:${port}/repo.git`],
    ['ssh', () => 'ssh://git@127.0.0.1/repo.git'],
    ['ssh, a name', () => 'ssh://git@localhost/repo.git'],
    ['ssh, short', () => 'git@127.0.0.1:repo.git'],
    ['ssh, short and IPv6', () => 'git@[::1]:repo.git'],
    ['ssh, an address in another spelling', () => 'git@2130706433:repo.git'],
  ])('that nobody named must not be private: %s', async (_, repository) => {
    const server = await serve();
    const ssh = program('ssh');
    const options = { repository: repository(server.port), addresses: {}, env: env({ GIT_SSH_COMMAND: ssh.path }) };
    await expect(list(options)).rejects.toMatchObject(blocked);
    expect(server.requests).toEqual([]);
    expect(ssh.ran()).toBe(false);
  });

  test.each(['git://127.0.0.1/x', 'ftp://127.0.0.1/x', 'ext::sh -c true', 'http://[::1/x'])(
    'is not contacted over an unused transport: %s',
    async (repository) => {
      await expect(list({ repository })).rejects.toMatchObject(blocked);
    },
  );

  test('may be private if it was named', async () => {
    const server = await serve();
    expect((await list({ repository: `${server.origin}/repo.git` })).skills).toEqual(found);
  });

  test('is connected at the judged address: git does not look up the name again', async () => {
    const server = await serve();
    const repository = `http://repo.example:${server.port}/repo.git`;
    // No name server knows this name, so git can only have it from us. Nothing listens at the first address.
    const lookup = answers('::1', '127.0.0.1');
    const addresses = { trustedHost: 'repo.example', insecureHttp: true, lookup };
    expect((await list({ repository, addresses })).skills).toEqual(found);
    expect(server.requests.map(({ host }) => host)).toContain(`repo.example:${server.port}`);
  });

  test("ignores an address that the user's configuration pins", async () => {
    const server = await serve();
    const inside = await serve();
    const repository = `http://repo.example:${server.port}/repo.git`;
    writeFileSync(
      at('home/.gitconfig'),
      `[http]\n\tcurloptResolve = repo.example:${server.port}:127.0.0.2\n[http "http://repo.example:${server.port}/"]\n\tcurloptResolve = repo.example:${server.port}:127.0.0.3\n`,
    );
    const addresses = { trustedHost: 'repo.example', insecureHttp: true, lookup: answers('127.0.0.1') };
    expect((await list({ repository, addresses })).skills).toEqual(found);
    expect(inside.requests).toEqual([]);
  });

  test('must be known', async () => {
    const repository = 'http://repo.example/repo.git';
    const addresses = { trustedHost: 'repo.example', insecureHttp: true, lookup: unknown };
    await expect(list({ repository, addresses })).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect(list({ repository: 'git@nobody.example:x', addresses })).rejects.toMatchObject({
      code: 'UNREACHABLE',
    });
  });

  test.skipIf(windows)('may be known only to ssh if it was named', async () => {
    const ssh = program('ssh');
    const options = { repository: 'git@work:x.git', env: env({ GIT_SSH_COMMAND: ssh.path }) };
    const addresses = { trustedHost: 'work', lookup: unknown };
    await expect(list({ ...options, addresses })).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
    expect(ssh.ran()).toBe(true);
  });
});

describe.skipIf(windows)('a git that cannot be bound to an address', () => {
  test('reads plain http by address and on this machine, and nothing else', async () => {
    const server = await serve();
    const options = { env: env({ PATH: gitOfVersion('2.36.9') }) };
    expect((await list({ ...options, repository: `${server.origin}/repo.git` })).skills).toEqual(found);
    const local = `http://localhost:${server.port}/repo.git`;
    expect((await list({ ...options, repository: local, addresses: { trustedHost: 'localhost' } })).skills).toEqual(
      found,
    );
    const repository = `http://repo.example:${server.port}/repo.git`;
    const addresses = { trustedHost: 'repo.example', insecureHttp: true, lookup: answers('127.0.0.1') };
    await expect(list({ ...options, repository, addresses })).rejects.toMatchObject({
      code: 'GIT_UNUSABLE',
      message: expect.stringContaining('git 2.37'),
    });
    expect(readFileSync(at('git.log'), 'utf8')).not.toMatch(/fetch .*repo\.example/);
  });

  test('reads https, because the certificate proves the host', async () => {
    const server = await serve();
    const repository = `https://localhost:${server.port}/repo.git`;
    const options = { repository, env: env({ PATH: gitOfVersion('2.36.9') }), addresses: { trustedHost: 'localhost' } };
    await expect(list(options)).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(readFileSync(at('git.log'), 'utf8')).toMatch(/fetch .*https:\/\/localhost/);
  });
});

describe('a redirect', () => {
  test('within the origin keeps the credentials and is reported', async () => {
    const server: GitServer = await serve({ redirect: moveTo(''), password: 'joe:secret' });
    writeFileSync(at('home/.gitconfig'), '[credential]\n\thelper = store\n');
    writeFileSync(at('home/.git-credentials'), `http://joe:secret@127.0.0.1:${server.port}\n`);
    // The client has no credentials, so a server that wants them for the redirect is not followed.
    await expect(list({ repository: `${server.origin}/old.git` })).rejects.toMatchObject({ code: 'BAD_ANSWER' });
    expect((await list({ repository: `${server.origin}/repo.git` })).skills).toEqual(found);

    const open = await serve({ redirect: moveTo('') });
    const { skills, findings } = await list({ repository: `${open.origin}/old.git` });
    expect(skills).toEqual(found);
    expect(findings).toMatchObject([
      { rule: 'repository-elsewhere', message: expect.stringContaining(`${open.origin}/repo.git`) },
    ]);
  });

  test('to another origin is followed without any credentials', async () => {
    const other = await serve();
    const named = await serve({ redirect: moveTo(other.origin) });
    const askpass = windows ? undefined : program('askpass', 'x');
    writeFileSync(at('home/.gitconfig'), '[http]\n\textraHeader = X-Secret: 1\n[credential]\n\thelper = store\n');
    const options = { env: env({ GIT_ASKPASS: askpass?.path ?? '' }) };
    expect((await list({ ...options, repository: `${named.origin}/old.git` })).skills).toEqual(found);
    expect(named.requests.some(({ headers }) => headers['x-secret'] === '1')).toBe(true);
    expect(other.requests.length).toBeGreaterThan(0);
    for (const { headers, authorization } of other.requests)
      expect([headers['x-secret'], authorization]).toEqual([undefined, undefined]);
  });

  test('to another origin gets no credentials of the user', async () => {
    const other = await serve({ password: 'joe:secret' });
    const named = await serve({ redirect: moveTo(other.origin) });
    writeFileSync(at('home/.gitconfig'), '[credential]\n\thelper = store\n');
    writeFileSync(at('home/.git-credentials'), `http://joe:secret@127.0.0.1:${other.port}\n`);
    writeFileSync(at('home/.netrc'), 'machine 127.0.0.1 login joe password secret\n');
    await expect(list({ repository: `${named.origin}/old.git` })).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
    expect(other.requests.length).toBeGreaterThan(0);
    for (const { authorization } of other.requests) expect(authorization).toBeUndefined();
  });

  test.each([
    ['into this machine by name', (port: number) => `http://localhost:${port}`],
    ['into this machine by address', (port: number) => `http://127.0.0.2:${port}`],
    ['into this machine in another spelling', (port: number) => `http://[::ffff:7f00:1]:${port}`],
    ['to plain http of another machine', () => 'http://93.184.216.34'],
    ['to a cloud service', () => 'http://169.254.169.254'],
    ['to a file', () => 'file:///etc'],
  ])('%s is not followed', async (_, target) => {
    const inside = await serve();
    const named = await serve({ redirect: moveTo(target(inside.port)) });
    await expect(list({ repository: `${named.origin}/old.git` })).rejects.toMatchObject(blocked);
    expect(inside.requests).toEqual([]);
  });

  test('in two steps is judged at each', async () => {
    const inside = await serve();
    const middle = await serve({ redirect: moveTo(`http://localhost:${inside.port}`) });
    const named = await serve({ redirect: (path) => `${middle.origin}${path}` });
    await expect(list({ repository: `${named.origin}/old.git` })).rejects.toMatchObject(blocked);
    expect(inside.requests).toEqual([]);
  });

  test.each([
    ['to a page', () => '/login'],
    ['without end', (path: string) => path],
  ])('%s is an error', async (_, redirect) => {
    const named = await serve({ redirect: (path) => (path.includes('/info/refs') ? redirect(path) : undefined) });
    await expect(list({ repository: `${named.origin}/old.git` })).rejects.toMatchObject({ code: 'BAD_ANSWER' });
  });

  test('also counts for a commit that is fetched by its id', async () => {
    const commit = execFileSync('git', ['-C', at('repo'), 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    const server = await serve({ redirect: moveTo('') });
    const repository = `${server.origin}/old.git`;
    expect((await list({ repository, ref: commit })).skills).toEqual(found);
    const before = server.requests.length;
    expect((await list({ repository, ref: commit })).skills).toEqual(found);
    expect(server.requests.length).toBe(before);
  });
});

describe('a proxy', () => {
  const addresses = { trustedHost: 'repo.example', insecureHttp: true, lookup: unknown };
  const repository = 'http://repo.example/repo.git';

  test.each(['user', 'none'] as const)(
    'looks up a name that is unknown here (credentials: %s)',
    async (credentials) => {
      const proxy = await serve();
      const byVariable = env({ http_proxy: proxy.origin, no_proxy: '*' });
      expect((await list({ repository, addresses, credentials, env: byVariable })).skills).toEqual(found);
      writeFileSync(at('home/.gitconfig'), `[http "http://repo.example/"]\n\tproxy = ${proxy.origin}\n`);
      expect((await list({ repository, addresses, credentials, cacheFolder: at('other') })).skills).toEqual(found);
      expect(new Set(proxy.requests.map(({ host }) => host))).toEqual(new Set(['repo.example']));
    },
  );

  test('that leaves the lookup to this machine does not count', async () => {
    const options = { repository, addresses, env: env({ all_proxy: 'socks5://127.0.0.1:1' }) };
    await expect(list(options)).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });
});
