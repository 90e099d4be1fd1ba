import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { memorySource } from '../../sources/memory.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { type StdioOptions, serveCatalogOverStdio } from './stdio.ts';

const text = '---\nname: refunds\ndescription: About refunds.\n---\n';

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}

function start(
  catalog: Catalog = createCatalog(memorySource({ refunds: { 'SKILL.md': text } })),
  options: StdioOptions = {},
) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let written = '';
  stdout.on('data', (chunk: Buffer) => {
    written += chunk.toString();
  });
  const handle = serveCatalogOverStdio(catalog, { stdin, stdout, ...options });
  return {
    handle,
    stdin,
    write: (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    answers: (): Answer[] =>
      written
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  };
}

const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A source whose listing waits until it is released. */
function slowSource(): { source: SkillSource; release: () => void } {
  const source = memorySource({ refunds: { 'SKILL.md': text } });
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    release,
    source: {
      ...source,
      async *list(context) {
        await gate;
        yield* source.list(context);
      },
    },
  };
}

describe('serving over stdio', () => {
  test('speaks the older revisions', async () => {
    const { handle, write, answers } = start();
    write(initialize);
    write({ method: 'notifications/initialized' });
    write({ id: 1, method: 'skills/list' });
    await eventually(() => expect(answers()).toHaveLength(2));
    expect(answers()[1]?.result?.skills).toHaveLength(1);
    await handle.close();
  });

  test('speaks the modern revision', async () => {
    const { handle, write, answers } = start();
    write({ id: 1, method: 'server/discover', params: { _meta } });
    write({ id: 2, method: 'skills/list', params: { _meta } });
    await eventually(() => expect(answers()).toHaveLength(2));
    expect(answers()[1]?.result).toMatchObject({ ttlMs: 60_000, resultType: 'complete' });
    await handle.close();
  });

  test('answers initialize before the catalog is loaded', async () => {
    const { source, release } = slowSource();
    const { handle, write, answers } = start(createCatalog(source));
    write(initialize);
    write({ id: 1, method: 'skills/list' });
    await eventually(() => expect(answers().map(({ id }) => id)).toEqual([0]));
    release();
    await eventually(() => expect(answers().map(({ id }) => id)).toEqual([0, 1]));
    await handle.close();
  });

  test('answers all requests before the end of stdin, then exits', async () => {
    const { source, release } = slowSource();
    const { handle, stdin, write, answers } = start(createCatalog(source));
    write(initialize);
    write({ id: 1, method: 'skills/list' });
    stdin.end();
    setTimeout(release, 50);
    await handle.closed;
    expect(answers().map(({ id }) => id)).toEqual([0, 1]);
  });

  test('answers requests before close(), and none after', async () => {
    const { source, release } = slowSource();
    const { handle, write, answers } = start(createCatalog(source));
    write(initialize);
    write({ id: 1, method: 'skills/list' });
    await eventually(() => expect(answers()).toHaveLength(1));
    const closed = handle.close();
    write({ id: 2, method: 'skills/list' });
    release();
    await Promise.all([closed, handle.closed, handle.close()]);
    expect(answers().map(({ id }) => id)).toEqual([0, 1]);
  });

  test.each([
    ['after the end of stdin', { endedMs: 500 }, undefined],
    ['when it is told to end', {}, true],
  ])('cancels work that does not finish, %s', async (_when, options, reason) => {
    const { source } = slowSource();
    const { handle, stdin, write, answers } = start(createCatalog(source), options);
    write(initialize);
    write({ id: 1, method: 'skills/list' });
    await eventually(() => expect(answers()).toHaveLength(1));
    stdin.end();
    if (reason === true) await handle.close();
    await handle.closed;
    expect(answers().map(({ id }) => id)).toEqual([0]);
  });

  test('ends streams of the modern revision with a notification', async () => {
    const { handle, write, answers } = start();
    const params = { notifications: { resourcesListChanged: true }, _meta };
    write({ id: 1, method: 'subscriptions/listen', params });
    await eventually(() => expect(answers()[0]?.method).toBe('notifications/subscriptions/acknowledged'));
    await handle.close();
    expect(answers()[1]).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  });
});
