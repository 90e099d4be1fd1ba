/** The examples for authors of hosts run here, against a real server whose folder is edited while they run. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ApprovalRequest } from '../../src/host/approve/decide.ts';
import { openHost } from '../../src/node/entries/host.ts';
import { type ServeHandle, serve } from '../../src/node/serve.ts';
import { browse } from '../authorization-server.ts';
import { eventually } from '../eventually.ts';
import { startProtectedServer } from '../protected-server.ts';
import { skillText } from './cli-process.ts';

const library = join(import.meta.dirname, '../../examples/library');
const load = (name: string) => import(join(library, name));
let folder: string;
let handle: ServeHandle;

function mcp(): string {
  if (handle.mcp === undefined) throw new Error('no address');
  return handle.mcp;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-host-examples-'));
  mkdirSync(join(folder, 'skills/pdf-tools/references'), { recursive: true });
  writeFileSync(join(folder, 'skills/pdf-tools/SKILL.md'), `${skillText('pdf-tools')}See references/forms.md\n`);
  writeFileSync(join(folder, 'skills/pdf-tools/references/forms.md'), '# Forms\n');
  vi.stubEnv('SKILLWIRE_HOME', join(folder, 'home'));
  handle = await serve({ roots: [{ path: join(folder, 'skills') }], http: { host: '127.0.0.1', port: 0 } });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await handle.close();
  rmSync(folder, { recursive: true, force: true });
});

type Turn = { tool: string; args: object } | { answer: string };

/** A scripted model that returns the last tool result. */
function scriptedModel(turns: readonly Turn[]): (conversation: readonly string[]) => Promise<Turn> {
  let next = 0;
  return async (conversation) => turns[next++] ?? { answer: conversation.at(-1) ?? '' };
}

const useForms: readonly Turn[] = [
  { tool: 'load_skill', args: { name: 'pdf-tools' } },
  { tool: 'read_skill_file', args: { skill: 'pdf-tools', path: 'references/forms.md' } },
];

test('log-in.ts lists the skills of a protected server', async () => {
  const server = await startProtectedServer({}, {}, 'localhost');
  onTestFinished(() => server.close());
  const { protectedSkills } = await load('log-in.ts');
  const open = async (url: URL): Promise<void> => void (await fetch(await browse(url)));
  expect(await protectedSkills(`mcp:${server.url}`, open)).toEqual(['refunds']);
});

describe('agent-loop.ts', () => {
  test('lists, asks, loads, reads a file, and asks again about a change', async () => {
    const { runAgent } = await load('agent-loop.ts');
    const requests: ApprovalRequest[] = [];
    const decide = async (request: ApprovalRequest) => {
      requests.push(request);
      return { allow: true, reason: 'the test says so' };
    };
    const origin = `team=mcp:${mcp()}`;

    const first = await runAgent('Fill the form.', [origin], scriptedModel(useForms), decide);
    expect(first.conversation[0]).toMatch(/pdf-tools/);
    expect(first.conversation[2]).toMatch(/team/);
    expect(first.answer).toContain('# Forms');
    expect(requests.map(({ why }) => why)).toEqual(['first']);

    await runAgent('Fill the form.', [origin], scriptedModel(useForms), decide);
    expect(requests).toHaveLength(1);

    writeFileSync(join(folder, 'skills/pdf-tools/references/forms.md'), '# Forms\n\nAsk example.com first.\n');
    const changed = await eventually(async () => {
      const run = await runAgent('Fill the form.', [origin], scriptedModel(useForms), decide);
      expect(run.answer).toContain('example.com');
      return run;
    }, 200);
    expect(changed.answer).toContain('# Forms');
    expect(requests.map(({ why }) => why)).toEqual(['first', 'changed']);
    expect(requests[1]?.change?.changed.map(({ path }) => path)).toEqual(['references/forms.md']);
  });

  test('continues without a skill that is not approved', async () => {
    const { runAgent } = await load('agent-loop.ts');
    const decide = async () => ({ allow: false, reason: 'not today' });
    const { answer } = await runAgent('Fill the form.', [`mcp:${mcp()}`], scriptedModel(useForms.slice(0, 1)), decide);
    expect(answer).toMatch(/approve|refuse/i);
  });
});

describe('a host that stays open, after an edit', () => {
  const forms = (): string => join(folder, 'skills/pdf-tools/references/forms.md');

  async function openAsking(origin: string) {
    const reasons: ApprovalRequest['why'][] = [];
    const host = await openHost([origin], {
      trustLocal: false,
      decide: async ({ why }) => {
        reasons.push(why);
        return { allow: true, reason: 'the test says so' };
      },
    });
    onTestFinished(() => host.close());
    return { host, reasons };
  }

  test('asks at the next load from a folder', async () => {
    const { host, reasons } = await openAsking(join(folder, 'skills'));
    await host.load('pdf-tools');
    writeFileSync(forms(), '# Other forms\n');
    await host.load('pdf-tools');
    expect(reasons).toEqual(['first', 'changed']);
  });

  test('loads the approved version from a server until its ttlMs has passed, unless the load is fresh', async () => {
    const { host, reasons } = await openAsking(`team=mcp:${mcp()}`);
    const before = await host.load('pdf-tools');
    writeFileSync(join(folder, 'skills/pdf-tools/SKILL.md'), `${skillText('pdf-tools')}Edited.\n`);
    const fresh = await eventually(async () => {
      const loaded = await host.load('pdf-tools', { fresh: true });
      expect(loaded.text).toContain('Edited.');
      return loaded;
    }, 200);
    expect(reasons).toEqual(['first', 'changed']);
    writeFileSync(join(folder, 'skills/pdf-tools/SKILL.md'), `${skillText('pdf-tools')}Edited twice.\n`);
    const again = await host.load('pdf-tools');
    expect([again.text === fresh.text, again.text === before.text]).toEqual([true, false]);
    expect(reasons).toHaveLength(2);
  });
});

test('read-skills.ts', async () => {
  const { readSkills } = await load('read-skills.ts');
  const said: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void said.push(text));
  await readSkills(`team=mcp:${mcp()}`).finally(() => log.mockRestore());
  expect(said[0]).toMatch(/^pdf-tools \(team\): /);
  expect(said[1]).toContain('references/forms.md');
});

test('connected-client.ts', async () => {
  const { fetchFirst } = await load('connected-client.ts');
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp())));
  const target = join(folder, 'downloaded');
  expect(await fetchFirst(client, target)).toContain('See references/forms.md');
  expect(readFileSync(join(target, 'references/forms.md'), 'utf8')).toBe('# Forms\n');
  await client.close();
});
