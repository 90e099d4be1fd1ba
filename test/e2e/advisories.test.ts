/** The gate's check for advisories, with registries on a real socket that have one, have none, or do not answer. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/advisories.mjs', import.meta.url));
const bulk = '/-/npm/v1/security/advisories/bulk';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-advisories-'));
  const dependencies = { used: '1.0.0' };
  const devDependencies = { tool: '1.0.0' };
  const manifest = { name: 'project', version: '1.0.0', dependencies, devDependencies };
  const locked = {
    '': manifest,
    'node_modules/used': { version: '1.0.0' },
    'node_modules/tool': { version: '1.0.0', dev: true },
  };
  write('package.json', manifest);
  write('package-lock.json', { ...manifest, lockfileVersion: 3, requires: true, packages: locked });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, value: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify(value));
}

/** A registry that answers the question about advisories in this way, and has no packages. */
async function registry(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      if (request.url === bulk) answer(response);
      else response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const knows =
  (name: string, severity: string) =>
  (response: ServerResponse): void => {
    const url = 'https://example.com/advisory';
    const advisory = { id: 1, title: 'It is broken', url, severity, vulnerable_versions: '<2.0.0', cwe: [] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ [name]: [advisory] }));
  };

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

function run(url: string, ...args: string[]): Promise<Ended> {
  const { PATH = '', SystemRoot = '' } = process.env;
  const own = { HOME: folder, USERPROFILE: folder, npm_config_cache: join(folder, 'npm'), npm_config_registry: url };
  const env = { PATH, SystemRoot, ...own, npm_config_update_notifier: 'false', npm_config_fetch_retry_mintimeout: '1' };
  const child = spawn(process.execPath, [script, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}

test.each(['high', 'critical'])('an advisory that is %s fails and is named', async (severity) => {
  const { code, text } = await run(await registry(knows('used', severity)));
  expect(code, text).toBe(1);
  expect(text).toContain(`${severity}: used: It is broken https://example.com/advisory`);
  expect(text).toContain('Update or replace used');
});

test.each(['low', 'moderate'])('an advisory that is %s is shown and does not fail', async (severity) => {
  const { code, text } = await run(await registry(knows('used', severity)));
  expect(code, text).toBe(0);
  expect(text).toContain(`${severity}: used: It is broken`);
});

test('an advisory about a development tool does not fail', async () => {
  const { code, text } = await run(await registry(knows('tool', 'critical')));
  expect(code, text).toBe(0);
  expect(text).toContain('No high or critical advisory');
});

test.each([
  ['refuses', (response: ServerResponse) => response.writeHead(405).end()],
  ['answers with a page', (response: ServerResponse) => response.end('<html></html>')],
  ['hangs up', (response: ServerResponse) => response.destroy()],
])('a registry that %s is not a finding, unless the check is required', async (_, answer) => {
  const url = await registry(answer);
  const checked = await run(url);
  expect(checked.code, checked.text).toBe(0);
  expect(checked.text).toMatch(/Advisories were not checked: .+/);
  const needed = await run(url, '--required');
  expect(needed.code, needed.text).toBe(1);
  expect(needed.text).toContain('A release needs this check');
});

test('a project that cannot be checked fails', async () => {
  rmSync(join(folder, 'package-lock.json'));
  const { code, text } = await run(await registry(knows('used', 'high')));
  expect(code, text).toBe(1);
  expect(text).toContain('npm audit failed');
});
