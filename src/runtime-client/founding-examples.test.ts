/**
 * Runs the examples of the Model Drive Protocol's page about skills as written there (`mdp-skills-page.txt`). It runs them against a server
 * like the reference and against our own hub.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { openHub } from '../../test/mdp-hub.ts';
import { startMdpServer } from '../../test/peers/mdp-server.ts';
import { createRuntime, type Runtime } from './index.node.ts';

const page = readFileSync(new URL('../../test/peers/mdp-skills-page.txt', import.meta.url), 'utf8');

interface Server {
  readonly ws: string;
  readonly http: string;
  close(): Promise<unknown>;
}

async function ourHub(): Promise<Server> {
  // The page reads a custom header, which an operator has to allow.
  const hub = await openHub({ forwardHeaders: ['x-review-scope'] });
  return { ws: hub.ws, http: hub.url, close: () => hub.handle.close() };
}

describe.each([
  ['a server like the reference', startMdpServer],
  ['our hub', ourHub],
] as const)('%s', (_, open: () => Promise<Server>) => {
  let server: Server;
  let client: Runtime;

  beforeAll(async () => {
    server = await open();
    client = createRuntime({ url: server.ws, id: 'workspace' });
  });

  afterAll(async () => {
    await client.close();
    await server.close();
  });

  test('both examples of expose() run, and their paths are readable on both routes', async () => {
    new Function('client', page)(client);
    await client.connect();
    const root = await eventually(() => text('/skills/workspace/workspace/review'));
    expect(root).toBe(
      '# Workspace Review\n\nReview the workspace root.\n\n' +
        'You can read `/workspace/review/files/skill.md` for file-level guidance.',
    );
    expect(await text('/workspace/skills/workspace/review/files?topic=mdp')).toBe(
      '# Workspace Review Files\n\nTopic: mdp\n\nHeader: all',
    );
  });

  test.each([
    '/workspace/review/skill.md',
    '/workspace/review/files/skill.md',
    '/workspace/review/files/typescript/skill.md',
  ])('the path %s of the page is accepted', (path) => {
    expect(() => client.expose(path, 'text')).not.toThrow();
  });

  async function text(path: string): Promise<string> {
    const answer = await fetch(`${server.http}${path}`, { headers: { 'x-review-scope': 'all' } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.text();
  }
});
