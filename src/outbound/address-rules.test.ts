import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type LookupFunction } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAddressRules, isInsideHost, isLoopbackHost, isPrivateAddress, shownUrl } from './address-rules.ts';
import { createHttpClient } from './http-client.ts';

describe('isPrivateAddress()', () => {
  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '0:0:0:0:0:ffff:192.168.0.1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:4136::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'not an address',
  ])('is true for %s', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '::ffff:8.8.8.8', '2606:4700::1111', '2a00:1450:4001::1'])(
    'is false for %s',
    (address) => {
      expect(isPrivateAddress(address)).toBe(false);
    },
  );
});

describe('check()', () => {
  const blocked = { code: 'ADDRESS_BLOCKED' };

  test.each([
    'file:///etc/passwd',
    'file:etc',
    'data:text/plain,x',
    'ftp://example.com/',
    'skill://a/b',
    'javascript:1',
  ])('refuses the scheme of %s', (url) => {
    expect(() => createAddressRules().check(url)).toThrow(expect.objectContaining(blocked));
  });

  test('refuses text that is not a URL', () => {
    expect(() => createAddressRules().check('example.com/mcp')).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  test('refuses credentials in the URL and does not repeat them', () => {
    const check = (): URL => createAddressRules().check('https://joe:secret@example.com/mcp?key=hidden');
    expect(check).toThrow(expect.objectContaining(blocked));
    expect(check).not.toThrow(/secret|hidden|joe/);
  });

  test('refuses plain http to other machines unless it is allowed', () => {
    expect(() => createAddressRules().check('http://example.com/')).toThrow(expect.objectContaining(blocked));
    expect(createAddressRules({ insecureHttp: true }).check('http://example.com/').hostname).toBe('example.com');
    expect(createAddressRules().check('http://localhost:1/').port).toBe('1');
  });

  test.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://017700000001/',
  ])('refuses the literal address of %s', (url) => {
    expect(() => createAddressRules().check(url)).toThrow(expect.objectContaining(blocked));
  });

  test('allows the private address that the user typed, and no other', () => {
    const rules = createAddressRules({ trustedHost: '10.0.0.5' });
    expect(rules.check('https://10.0.0.5/').hostname).toBe('10.0.0.5');
    expect(() => rules.check('https://10.0.0.6/')).toThrow(expect.objectContaining(blocked));
    expect(() => rules.check('https://127.0.0.1/')).toThrow(expect.objectContaining(blocked));
  });

  test('accepts a typed IPv6 address in brackets', () => {
    expect(createAddressRules({ trustedHost: '[::1]' }).check('http://[::1]:8/').port).toBe('8');
  });
});

describe('lookup()', () => {
  const answers = (...addresses: string[]): LookupFunction =>
    ((_host, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as LookupFunction;
  const ask = (rules: ReturnType<typeof createAddressRules>, host: string, all: boolean): Promise<unknown> =>
    new Promise((resolve, reject) =>
      rules.lookup(host, { all }, (error, found, family) =>
        error === null ? resolve([found, family]) : reject(error),
      ),
    );

  test('returns public addresses, in both shapes', async () => {
    const rules = createAddressRules({ lookup: answers('8.8.8.8', '2606:4700::1111') });
    expect(await ask(rules, 'example.com', false)).toEqual(['8.8.8.8', 4]);
    expect(await ask(rules, 'example.com', true)).toEqual([
      [
        { address: '8.8.8.8', family: 4 },
        { address: '2606:4700::1111', family: 6 },
      ],
      undefined,
    ]);
  });

  test('fails if one of several addresses is private', async () => {
    const rules = createAddressRules({ lookup: answers('8.8.8.8', '192.168.0.1') });
    await expect(ask(rules, 'example.com', true)).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
  });

  test('allows a typed name to be private', async () => {
    const rules = createAddressRules({ trustedHost: 'mcp.corp', lookup: answers('10.0.0.1') });
    expect(await ask(rules, 'mcp.corp', false)).toEqual(['10.0.0.1', 4]);
    await expect(ask(rules, 'other.corp', false)).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
  });

  test('blocks a typed public name that starts to resolve to a private address', async () => {
    let now = '8.8.8.8';
    const lookup: LookupFunction = ((host, options, callback) =>
      answers(now)(host, options, callback)) as LookupFunction;
    const rules = createAddressRules({ trustedHost: 'example.com', lookup });
    await ask(rules, 'example.com', false);
    now = '169.254.169.254';
    await expect(ask(rules, 'example.com', false)).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
  });

  test('keeps the client from connecting', async () => {
    const client = createHttpClient({ insecureHttp: true, lookup: answers('127.0.0.1') });
    await expect(client.request({ url: 'http://example.com:1/' })).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
  });
});

describe('resolve()', () => {
  const lookupOf = (...addresses: string[]): LookupFunction =>
    ((_host, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as LookupFunction;

  test('returns every address of a public host', async () => {
    const rules = createAddressRules({ lookup: lookupOf('8.8.8.8', '2606:4700::1111') });
    expect(await rules.resolve('example.com')).toEqual(['8.8.8.8', '2606:4700::1111']);
    expect(await rules.resolve('[2606:4700::1111]')).toEqual(['2606:4700::1111']);
  });

  test.each(['example.com', '127.0.0.1', '[::1]', '10.0.0.1'])(
    'blocks a host on a private network: %s',
    async (host) => {
      const rules = createAddressRules({ lookup: lookupOf('8.8.8.8', '10.0.0.1') });
      await expect(rules.resolve(host)).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
    },
  );

  test('allows the host that the user typed', async () => {
    expect(await createAddressRules({ trustedHost: '[::1]' }).resolve('::1')).toEqual(['::1']);
  });

  test('applies the rules of the client, which reports why a name cannot be used', async () => {
    const client = createHttpClient({ lookup: lookupOf('10.0.0.1') });
    await expect(client.resolve('example.com')).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
    const none = createHttpClient({ lookup: lookupOf() });
    await expect(none.resolve('example.com')).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  test('stops waiting for a lookup when the caller aborts or the deadline passes', async () => {
    const never = (() => undefined) as LookupFunction;
    const aborted = createHttpClient({ lookup: never }).resolve('example.com', AbortSignal.abort());
    await expect(aborted).rejects.toMatchObject({ code: 'INTERRUPTED' });
    const late = createHttpClient({ lookup: never, deadlineMs: 5 }).resolve('example.com');
    await expect(late).rejects.toMatchObject({ code: 'TIMED_OUT' });
  });
});

test('a name that changes its address between check and connection is blocked on the socket', async () => {
  const server = createServer((_request, response) => response.end('inside')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let reads = 0;
  const answer = {
    family: 4,
    get address() {
      return reads++ === 0 ? '8.8.8.8' : '127.0.0.1';
    },
  };
  const lookup = ((_host, _options, callback) => callback(null, [answer])) as LookupFunction;
  const client = createHttpClient({ insecureHttp: true, lookup });
  onTestFinished(() => {
    client.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  await expect(client.request({ url: `http://example.com:${port}/` })).rejects.toMatchObject({
    code: 'ADDRESS_BLOCKED',
  });
});

test('socketFault() checks the remote address of a socket', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  expect(createAddressRules().socketFault('example.com', socket.remoteAddress)).toMatchObject({
    code: 'ADDRESS_BLOCKED',
  });
  expect(
    createAddressRules({ trustedHost: '127.0.0.1' }).socketFault('127.0.0.1', socket.remoteAddress),
  ).toBeUndefined();
});

test('isLoopbackHost() recognizes every name of this machine', () => {
  for (const host of ['localhost', 'LOCALHOST', 'a.localhost', '127.0.0.1', '127.9.9.9', '[::1]'])
    expect(isLoopbackHost(host), host).toBe(true);
  for (const host of ['localhost.example.com', '128.0.0.1', '127.example.com', '[::2]'])
    expect(isLoopbackHost(host), host).toBe(false);
});

test('shownUrl() omits the query', () => {
  expect(shownUrl(new URL('https://example.com:8443/mcp?token=x#y'))).toBe('https://example.com:8443/mcp?...');
});

describe('isInsideHost()', () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'a.localhost',
    'localhost.',
    '127.0.0.1',
    '[::1]',
    '10.1.2.3',
    '169.254.169.254',
    '[fd00::1]',
  ])('%s is inside', (host) => expect(isInsideHost(host)).toBe(true));
  test.each([
    'printer',
    'nas.local',
    'api.internal',
    'wiki.corp',
    'router.lan',
    'x.home.arpa',
    'metadata.google.internal.',
  ])('%s is inside by its name', (host) => expect(isInsideHost(host)).toBe(true));
  test.each(['example.com', 'local.example.com', 'internal.example.com', '8.8.8.8', '[2606:4700::1111]', 'xlocal.com'])(
    '%s is not',
    (host) => expect(isInsideHost(host)).toBe(false),
  );
});
