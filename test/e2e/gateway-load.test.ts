/**
 * A gateway under load while one of its upstreams is killed and restarted repeatedly: no client may notice. It gets 50
 * requests a second from 20 connections for 6 seconds; with `npm run soak` 500 from 200 for a minute.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listeningAt } from '../served-folder.ts';
import { soakFactor } from '../soak-factor.ts';
import { type CliFolder, type CliProcess, cliFolder } from './cli-process.ts';
import { freePort } from './free-port.ts';

const upstreams = 4;
const skillsEach = 20;
const scale = Math.min(soakFactor, 10);
const [perSecond, connections, seconds] = [50 * scale, 20 * scale, 6 * scale];
const killEveryMs = 5_000;

let folder: CliFolder;
let gateway: CliProcess;
let url: string;
const running = new Map<number, CliProcess>();
const ports: number[] = [];

async function startUpstream(number: number): Promise<void> {
  const started = folder.start(['serve', `./north-${number}`, '--http', String(ports[number]), '--json', '--no-watch']);
  running.set(number, started);
  await started.seen('stdout', /\n/);
}

function uriOf(label: string, skill: number): string {
  return `skill://${label}/task-${skill}/SKILL.md`;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function ask(
  agent: Agent,
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text })).once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function call(agent: Agent, method: string, params: Record<string, unknown>): Promise<Answer> {
  const version = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'load', version: '1' },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(method === 'resources/read' ? { 'mcp-name': String(params['uri']) } : {}),
    'content-length': String(Buffer.byteLength(body)),
  };
  return ask(agent, 'POST', '/mcp', headers, body);
}

/** Requests of every kind in turn, over all skills, and the expected content. */
function mixed(agent: Agent, number: number): { readonly answer: Promise<Answer>; readonly content: string } {
  const label = number % (upstreams + 1) === upstreams ? 'local' : `north-${number % (upstreams + 1)}`;
  const uri = uriOf(label, (number >> 3) % skillsEach);
  const kind = number % 8;
  if (kind === 0) return { answer: call(agent, 'skills/list', {}), content: '"skills":[' };
  if (kind === 1)
    return { answer: ask(agent, 'GET', `/api/search?q=${label}`, {}), content: uriOf(label, 0).slice(0, 12) };
  if (kind === 2)
    return { answer: ask(agent, 'GET', '/.well-known/agent-skills/index.json', {}), content: '"skills":' };
  if (kind < 5) return { answer: call(agent, 'skills/get', { uri }), content: `"${uri}"` };
  return { answer: call(agent, 'resources/read', { uri }), content: `Steps of ${label}` };
}

function skillFiles(place: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length: skillsEach }, (_, number) => [
      `${place}/task-${number}/SKILL.md`,
      `---\nname: task-${number}\ndescription: Task ${number} of ${place}.\n---\nSteps of ${place}, ${number}.\n`,
    ]),
  );
}

beforeAll(async () => {
  folder = cliFolder();
  folder.write(skillFiles('local'));
  const origins: Record<string, unknown> = { local: './local' };
  for (let number = 0; number < upstreams; number++) {
    folder.write(skillFiles(`north-${number}`));
    ports.push(await freePort());
    origins[`north-${number}`] = { mcp: `http://127.0.0.1:${ports[number]}/mcp`, ttl: '1s' };
  }
  folder.write({ 'skillwire.json': JSON.stringify({ origins }) });
  await Promise.all(ports.map((_, number) => startUpstream(number)));
  gateway = folder.start(['serve', '--config', 'skillwire.json', '--http', '0', '--json']);
  ({ url } = await listeningAt(gateway));
}, 120_000);

afterAll(async () => {
  for (const { child } of [gateway, ...running.values()]) child.kill('SIGKILL');
  await Promise.all([gateway, ...running.values()].map(({ ended }) => ended));
  folder.remove();
});

test(
  'answers every request while an upstream is killed and restarted every few seconds',
  async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    // Content that was never read cannot be served for an upstream that is gone.
    for (const label of ['local', ...ports.map((_, number) => `north-${number}`)])
      for (let skill = 0; skill < skillsEach; skill++)
        await call(agent, 'resources/read', { uri: uriOf(label, skill) });
    const wrong: string[] = [];
    let [answered, kills, over] = [0, 0, false];

    const killing = (async () => {
      await sleep(500);
      for (; !over; kills++) {
        const number = kills % upstreams;
        running.get(number)?.child.kill('SIGKILL');
        await running.get(number)?.ended;
        await sleep(1_000);
        await startUpstream(number);
        for (let waited = 0; waited < killEveryMs - 1_000 && !over; waited += 100) await sleep(100);
      }
    })();

    const total = perSecond * seconds;
    const client = async (from: number): Promise<void> => {
      const begun = performance.now();
      for (let number = from; number < total; number += connections) {
        await sleep(Math.max(0, begun + (number / perSecond) * 1_000 - performance.now()));
        const { answer, content: holds } = mixed(agent, number);
        try {
          const { status, text } = await answer;
          if (status === 200 && text.includes(holds)) answered++;
          else wrong.push(`${number}: ${status} ${text.slice(0, 300)}`);
        } catch (error) {
          wrong.push(`${number}: ${String(error)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, from) => client(from)));
    over = true;
    await killing;
    agent.destroy();
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(answered).toBe(total);
    expect(kills).toBeGreaterThanOrEqual(1);
    expect(gateway.child.exitCode).toBeNull();
  },
  seconds * 1_000 + 240_000,
);
