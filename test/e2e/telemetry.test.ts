/** Traces and metrics of the built program, received by a real collector on loopback. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { eventually } from '../eventually.ts';
import { otlpReceiver } from '../otlp-receiver.ts';
import { listeningAt } from '../served-folder.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

const project = join(import.meta.dirname, '../..');
const span = '00f067aa0ba902b7';
let receiver: Awaited<ReturnType<typeof otlpReceiver>>;
let folder: CliFolder;
const running: CliProcess[] = [];

beforeAll(async () => {
  receiver = await otlpReceiver();
  folder = cliFolder();
  folder.write({
    'skills/review/SKILL.md': skillText('review'),
    'skills/review/seen.md': 'Notes.\n',
    'skills/review/blind.md': 'Other notes.\n',
  });
});
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  for (const { ended } of running) await ended;
  folder.remove();
  await receiver.close();
});

const telemetry = (service: string): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_SERVICE_NAME: service,
  OTEL_BSP_SCHEDULE_DELAY: '50',
  OTEL_METRIC_EXPORT_INTERVAL: '200',
});

async function serve(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<[CliProcess, string]> {
  const server = folder.start(['serve', ...argv, '--http', '0', '--json'], env);
  running.push(server);
  return [server, (await listeningAt(server)).mcp];
}

test('a request is a trace from its sender over the catalog to the origins that may see it', async () => {
  const [, origin] = await serve(['./skills'], telemetry('origin'));
  folder.write({
    'gateway.json': JSON.stringify({
      origins: { seen: { mcp: origin, traceparent: true }, blind: { mcp: origin } },
    }),
  });
  const [gateway, mcp] = await serve(['--config', 'gateway.json'], telemetry('gateway'));
  const traces = { seen: 'a'.repeat(32), blind: 'b'.repeat(32) };
  for (const [label, traceId] of Object.entries(traces)) {
    const headers = { traceparent: `00-${traceId}-${span}-01` };
    // A file of its own: bytes with a known digest are not requested again.
    const uri = `skill://${label}/review/${label}.md`;
    const { result } = await modern(mcp, 'resources/read', { uri }, headers);
    expect(JSON.stringify(result)).toMatch(/notes\./i);
  }
  await eventually(async () => {
    for (const [label, traceId] of Object.entries(traces)) {
      const own = receiver.spans.filter((one) => one.traceId === traceId && one.service === 'gateway');
      const request = own.find(({ name }) => name === 'POST mcp');
      expect(request).toMatchObject({ parentId: span, attributes: { 'http.request.method': 'POST' } });
      const read = own.find(({ name }) => name === 'catalog read');
      expect(read?.parentId).toBe(request?.spanId);
      const opened = own.find(({ name }) => name === 'origin open');
      expect(opened).toMatchObject({ attributes: { 'skillwire.origin': label, 'skillwire.origin.kind': 'mcp' } });
      expect(own.map(({ spanId }) => spanId)).toContain(opened?.parentId);
    }
    const passed = receiver.spans.filter(({ service, traceId }) => service === 'origin' && traceId === traces.seen);
    const senders = receiver.spans.filter(({ service }) => service === 'gateway').map(({ spanId }) => spanId);
    expect(senders).toContain(passed.find(({ name }) => name === 'POST mcp')?.parentId);
    expect([...receiver.metrics]).toEqual(
      expect.arrayContaining(['skillwire_http_requests_total', 'skillwire_skills', 'skillwire_origin_state']),
    );
  });
  expect(receiver.spans.filter(({ service, traceId }) => service === 'origin' && traceId === traces.blind)).toEqual([]);
  expect(JSON.stringify(receiver.spans)).not.toContain('.md');
  gateway.child.kill('SIGTERM');
  expect((await gateway.ended).stderr).not.toContain('OpenTelemetry');
});

test('a collector that is away is logged once, and delays nothing', async () => {
  const away = { ...telemetry('away'), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const [server, mcp] = await serve(['./skills'], away);
  expect((await modern(mcp, 'skills/list')).status).toBe(200);
  server.child.kill('SIGTERM');
  expect((await server.ended).exitCode).toBe(process.platform === 'win32' ? null : 0);
});

test('another protocol is a message, and the server runs', async () => {
  const [server, mcp] = await serve(['./skills'], { ...telemetry('grpc'), OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
  expect((await modern(mcp, 'skills/list')).status).toBe(200);
  expect(server.stderr()).toContain('Telemetry is off: the protocol "grpc" is not supported.');
});

test('missing packages are a message that names them, and the server runs', async () => {
  const place = join(folder.path, 'without');
  mkdirSync(join(place, 'node_modules'), { recursive: true });
  for (const name of readdirSync(join(project, 'node_modules')))
    if (name !== '@opentelemetry' && !name.startsWith('.'))
      symlinkSync(join(project, 'node_modules', name), join(place, 'node_modules', name), 'junction');
  cpSync(join(project, 'dist'), join(place, 'dist'), { recursive: true });
  cpSync(join(project, 'package.json'), join(place, 'package.json'));
  const argv = [join(place, 'dist/cli/main.js'), 'serve', join(folder.path, 'skills'), '--http', '0'];
  const child = spawn(process.execPath, argv, {
    env: { PATH: process.env['PATH'], SKILLWIRE_HOME: join(place, 'home'), ...telemetry('missing') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      stderr += part;
    });
    await eventually(async () => expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+/));
    expect(stderr).toMatch(/Telemetry is off: packages are missing\..*npm install @opentelemetry\/api@1\.9 /);
  } finally {
    child.kill('SIGKILL');
  }
});
