/** The examples for authors of hosts run here, against a real server whose folder is edited while they run. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApprovalRequest } from '../../src/host/approve/decide.ts';
import { type ServeHandle, serve } from '../../src/node/serve.ts';
import { eventually } from '../eventually.ts';
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

/** A model that always does the same, and gives back what it was told at last. */
function scriptedModel(turns: readonly Turn[]): (conversation: readonly string[]) => Promise<Turn> {
  let next = 0;
  return async (conversation) => turns[next++] ?? { answer: conversation.at(-1) ?? '' };
}

const useForms: readonly Turn[] = [
  { tool: 'load_skill', args: { name: 'pdf-tools' } },
  { tool: 'read_skill_file', args: { skill: 'pdf-tools', path: 'references/forms.md' } },
];

describe('agent-loop.ts', () => {
  test('discovers, asks, loads, reads a file, and asks again with what changed', async () => {
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

  test('goes on without a skill that is not approved', async () => {
    const { runAgent } = await load('agent-loop.ts');
    const decide = async () => ({ allow: false, reason: 'not today' });
    const { answer } = await runAgent('Fill the form.', [`mcp:${mcp()}`], scriptedModel(useForms.slice(0, 1)), decide);
    expect(answer).toMatch(/approve|refuse/i);
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
