/** A gateway that reads a protected server: it uses the login of its user, and never the token of a caller. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { parseConfiguration } from '../../../src/gateway/configuration.ts';
import { openState } from '../../../src/node/open-state.ts';
import { serveConfiguration } from '../../../src/node/serve-configuration.ts';
import { createTokenBook } from '../../../src/serving/access/token-book.ts';
import { type CliFolder, cliFolder } from '../../e2e/cli-process.ts';
import { eventually } from '../../eventually.ts';
import { standInBrowser, startProtectedServer } from '../../protected-server.ts';
import { verifies } from '../../requirements/verifies.ts';
import { scriptedUpstream } from '../../scripted-upstream.ts';
import { listedUris } from '../../served-folder.ts';

let folder: CliFolder;
const cleanUp: (() => unknown)[] = [];
const env = () => ({ SKILLWIRE_HOME: join(folder.path, 'gateway'), BROWSER: standInBrowser });

beforeEach(() => {
  folder = cliFolder();
  cleanUp.push(() => folder.remove());
});
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** @returns its address, and the token of a caller */
async function startGateway(upstream: string, auth?: object): Promise<readonly [string, string]> {
  const store = await openState({}, { cwd: folder.path, env: env() }, () => undefined);
  const { token } = await createTokenBook(store).add({ name: 'caller', profile: 'everything' });
  await store.close();
  const text = JSON.stringify({
    origins: { up: auth === undefined ? `mcp:${upstream}` : { mcp: upstream, auth } },
    profiles: { everything: {} },
    access: { url: 'http://127.0.0.1:1' },
  });
  const handle = await serveConfiguration(parseConfiguration(text, 'skillwire.json'), {
    http: { host: '127.0.0.1', port: 0 },
    base: folder.path,
    env: { ...env(), SECRET: 'secret-of-the-gateway' },
  });
  cleanUp.push(() => handle.close());
  return [handle.mcp ?? '', token];
}

verifies(['ID-32', 'ID-33'], 'serves a protected server with its own login', async () => {
  const server = await startProtectedServer();
  cleanUp.push(() => server.close());
  expect(await folder.run(['login', `mcp:${server.url}`], env())).toMatchObject({ exitCode: 0 });
  const [mcp, token] = await startGateway(server.url);
  await eventually(async () => expect(await listedUris(mcp, token)).toEqual(['skill://up/docs/refunds/SKILL.md']));
});

verifies(['ID-32', 'ID-35'], 'forwards no token of a caller, and relays no challenge', async () => {
  const seen: (string | undefined)[] = [];
  const upstream: Server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401, { 'www-authenticate': 'Bearer scope="upstream"' }).end();
  });
  await new Promise<void>((resolve) => {
    upstream.listen(0, '127.0.0.1', resolve);
  });
  cleanUp.push(
    () => upstream.close(),
    () => upstream.closeAllConnections(),
  );
  const [mcp, token] = await startGateway(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`);
  await eventually(() => expect(seen.length).toBeGreaterThan(0));
  await expectNoChallenge(mcp, token);
  expect(new Set(seen)).toEqual(new Set([undefined]));
});

verifies(['ID-32', 'ID-33', 'ID-35'], 'sends its own token only, also if the upstream refuses that', async () => {
  const upstream = await scriptedUpstream();
  cleanUp.push(() => upstream.close());
  const [mcp, token] = await startGateway(upstream.url, {
    clientCredentials: { issuer: upstream.issuer, clientId: 'gateway', clientSecretEnv: 'SECRET' },
  });
  await eventually(() =>
    expect(upstream.at('/mcp').map(({ headers }) => headers.authorization)).toContain('Bearer token-of-the-upstream'),
  );
  upstream.challenge = () => ({ status: 401, header: 'Bearer error="invalid_token", scope="upstream"' });
  await expectNoChallenge(mcp, token);
  const sent = new Set(upstream.at('/mcp').map(({ headers }) => headers.authorization));
  expect([...sent].filter((one) => one !== undefined)).toEqual(['Bearer token-of-the-upstream']);
  expect(JSON.stringify(upstream.seen)).not.toContain(token);
});

async function expectNoChallenge(mcp: string, token: string): Promise<void> {
  const answer = await fetch(mcp, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{"_meta":{}}}',
  });
  expect([401, 403]).not.toContain(answer.status);
  expect(answer.headers.get('www-authenticate')).toBeNull();
  await answer.text();
}
