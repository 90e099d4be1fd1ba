/** Several processes with one login whose refresh tokens rotate: a token that comes twice ends the grant for all of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { AuthorizationServerOptions } from '../authorization-server.ts';
import { eventually } from '../eventually.ts';
import { type ProtectedServer, standInBrowser, startProtectedServer } from '../protected-server.ts';
import { soakFactor } from '../soak-factor.ts';
import { type CliFolder, cliFolder } from './cli-process.ts';

let folder: CliFolder;
let server: ProtectedServer;
let origin = '';
const holds: { -readonly [Key in 'hold' | 'holdAnswer']?: AuthorizationServerOptions[Key] } = {};

beforeEach(async () => {
  folder = cliFolder();
  server = await startProtectedServer({
    hold: async (request) => holds.hold?.(request),
    holdAnswer: async () => holds.holdAnswer?.(),
  });
  origin = `mcp:${server.url}`;
  expect(await run('login', origin)).toMatchObject({ exitCode: 0 });
});
afterEach(async () => {
  holds.hold = undefined;
  holds.holdAnswer = undefined;
  await server.close();
  folder.remove();
});

const home = (): string => join(folder.path, 'own-home');
const run = (...argv: readonly string[]) => folder.run(argv, { BROWSER: standInBrowser, SKILLWIRE_HOME: home() });
const refreshes = () =>
  server.issuer.grants.filter(({ grant }) => grant === 'refresh_token').map(({ status }) => status);

const dist = new URL('../../dist/', import.meta.url).href;

/** A process whose token is refused this often. */
function refusedProcess(often: number): ChildProcess & { readonly ended: Promise<number | null> } {
  const script = `
    import { usersLogins } from '${dist}node/users-logins.js';
    const [url, often] = process.argv.slice(1);
    const env = { SKILLWIRE_HOME: process.env.SKILLWIRE_HOME };
    const logins = await usersLogins({}, { cwd: process.cwd(), env })();
    for (let turn = 0; turn < Number(often); turn++) {
      const own = logins.credentialsFor({ url, origin: 'mcp:' + url });
      await own.header();
      await own.renew({ status: 401, challenge: undefined }, new URL(url), fetch);
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, server.url, String(often)], {
    env: { ...process.env, SKILLWIRE_HOME: home() },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return Object.assign(child, { ended });
}

test('never send one refresh token twice, and the login lives on', async () => {
  const often = 5;
  // Both processes together refresh 100 times in the soak.
  for (let turn = 0; turn < soakFactor; turn++) {
    const before = refreshes().length;
    const codes = await Promise.all([refusedProcess(often).ended, refusedProcess(often).ended]);
    expect(codes).toEqual([0, 0]);
    expect(new Set(refreshes())).toEqual(new Set([200]));
    expect(refreshes().length - before).toBeLessThanOrEqual(2 * often);
    await killWhileRefreshing(() => undefined);
  }
  expect(await run('list', origin)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('refunds') });
});

/** Kills a process that has the lock, and whose request has not reached the server. @param meanwhile runs before it is killed */
async function killWhileRefreshing<T>(meanwhile: () => T): Promise<T> {
  let arrived: IncomingMessage | undefined;
  let release: () => void = () => undefined;
  holds.hold = (request) =>
    new Promise((resolve) => {
      arrived = request;
      release = resolve;
    });
  const killed = refusedProcess(1);
  await eventually(() => expect(arrived).toBeDefined());
  const made = meanwhile();
  holds.hold = undefined;
  killed.kill('SIGKILL');
  await killed.ended;
  // The server notices it a moment later, and would else answer.
  await eventually(() => expect(arrived?.destroyed).toBe(true));
  release();
  return made;
}

test('continue after one of them is killed while it holds the lock', async () => {
  const waiting = await killWhileRefreshing(() => refusedProcess(1));
  expect(await waiting.ended).toBe(0);
  expect(refreshes()).toEqual([200]);
  expect(await run('list', origin)).toMatchObject({ exitCode: 0 });
});

test('name the remedy if the answer of a refresh was lost, and keep nothing of it', async () => {
  let answered = false;
  holds.holdAnswer = () => {
    answered = true;
    return new Promise(() => undefined);
  };
  const killed = refusedProcess(1);
  await eventually(() => expect(answered).toBe(true));
  killed.kill('SIGKILL');
  await killed.ended;
  holds.holdAnswer = undefined;
  expect(await refusedProcess(1).ended).toBe(1);
  expect(await run('whoami', origin)).toMatchObject({ exitCode: 3 });
  expect((await run('list', origin)).stderr).toContain(`skillwire login ${origin}`);
});
