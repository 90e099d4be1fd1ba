/** Thousands of open streams with raised limits: each gets every change, and other requests are answered. The soak opens 5,000. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { modern, modernVersion } from '../contract/raw-mcp.ts';
import { eventually } from '../eventually.ts';
import { soakFactor } from '../soak-factor.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

const count = soakFactor === 1 ? 150 : Math.min(5_000, 500 * soakFactor);
const atOnce = 50;
let folder: CliFolder;
let started: CliProcess | undefined;
let sockets: Socket[] = [];

beforeEach(() => {
  folder = cliFolder();
  folder.write({ 'skills/good/SKILL.md': skillText('good') });
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  started?.child.kill('SIGKILL');
  await started?.ended;
  started = undefined;
  folder.remove();
});

const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: {
    notifications: { resourcesListChanged: true },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': modernVersion,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    },
  },
});

const request = [
  'POST /mcp HTTP/1.1',
  'host: 127.0.0.1',
  'content-type: application/json',
  'accept: application/json, text/event-stream',
  `mcp-protocol-version: ${modernVersion}`,
  'mcp-method: subscriptions/listen',
  `content-length: ${Buffer.byteLength(body)}`,
  '',
  body,
].join('\r\n');

test('all of many streams get a change', { timeout: 600_000 }, async () => {
  const limits = ['connections', 'connections-per-address', 'streams', 'streams-per-address'];
  const raised = limits.flatMap((name) => ['--limit', `${name}=${count + 100}`]);
  started = folder.start(['serve', './skills', '--http', '0', '--json', ...raised]);
  const { mcp } = JSON.parse(await started.seen('stdout', /\n/)) as { mcp: string };
  const { hostname, port } = new URL(mcp);
  let notified = 0;
  const open = async (): Promise<string> => {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.setEncoding('utf8').on('error', () => undefined);
    socket.write(request);
    const [first] = (await once(socket, 'data')) as [string];
    socket.on('data', (text: string) => {
      if (text.includes('notifications/resources/list_changed')) notified++;
    });
    return first.slice(0, 12);
  };
  for (let index = 0; index < count; index += atOnce)
    expect(new Set(await Promise.all(Array.from({ length: atOnce }, open)))).toEqual(new Set(['HTTP/1.1 200']));

  folder.write({ 'skills/good/SKILL.md': skillText('good', 'Another body.') });
  const uri = 'skill://good/SKILL.md';
  await eventually(async () =>
    expect(JSON.stringify(await modern(mcp, 'resources/read', { uri }))).toContain('Another'),
  );
  await eventually(() => expect(notified).toBe(count));
  expect(sockets.every(({ destroyed }) => !destroyed)).toBe(true);
});
