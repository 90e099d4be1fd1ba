/**
 * Approving on the page of a server that serves approved skills only. The queue of the page, that of `skillwire waiting` and the
 * skills that agents get over MCP agree, for new skills and for new versions.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { openHost } from 'skillwire/host';
import { directorySource } from 'skillwire/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { skillText } from '../e2e/cli-process.ts';
import { eventually } from '../eventually.ts';
import { startServing } from '../served-folder.ts';
import { expectAccessible } from './accessible.ts';
import { closeBrowser, type ServedPage, type Visit, visit, withLink } from './served-page.ts';

const refunds = 'skill://docs/refunds/SKILL.md';
const script = 'content/docs/refunds/scripts/pay.sh';
let served: ServedPage;
let seen: Visit;
let client: Client;

beforeAll(async () => {
  const started = await startServing({
    'skillwire.json': JSON.stringify({
      origins: { docs: './content/docs', ops: './content/ops' },
      policy: { mode: 'approved-only' },
    }),
    'content/docs/refunds/SKILL.md': skillText('refunds', 'First version.\n'),
    [script]: '#!/bin/sh\necho paid\n',
    'content/docs/style/SKILL.md': skillText('style'),
    'content/ops/restart/SKILL.md': skillText('restart'),
  });
  served = await withLink(started);
  client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(served.mcp)));
  seen = await visit();
  await seen.page.goto(served.link());
  await seen.page.locator('.queue').first().waitFor();
}, 120_000);

afterEach(async () => {
  await seen.keep();
});

afterAll(async () => {
  await seen?.close();
  await client?.close();
  await served?.stop();
  await closeBrowser();
});

async function read(uri = refunds): Promise<string> {
  const { contents } = await client.readResource({ uri });
  const [first] = contents;
  return first !== undefined && 'text' in first ? String(first.text) : '';
}

interface Waiting {
  readonly origin: string;
  readonly uri: string;
  readonly state: string;
  readonly setDigest: string;
}

async function waiting(): Promise<readonly Waiting[]> {
  return JSON.parse((await served.folder.run(['waiting', '--json'])).stdout).waiting;
}

const waits = (name: string) => seen.page.locator('.queue').first().locator('a', { hasText: name });

async function openSkill(): Promise<void> {
  await seen.page.goto(`${served.url}/#/skill/${encodeURIComponent(refunds)}?tab=changes`);
  await seen.page.locator('.choices').waitFor();
}

async function openQueue(): Promise<void> {
  await seen.page.goto(`${served.url}/#/review`);
  await seen.page.locator('h2', { hasText: 'Waiting' }).waitFor();
}

/** The request of the page, with the digest that it showed. */
async function shownSet(): Promise<{ readonly csrf: string; readonly setDigest: string }> {
  return seen.page.evaluate(async (uri) => {
    const { session } = await (await fetch('api')).json();
    const { setDigest } = await (await fetch(`api/skill?uri=${encodeURIComponent(uri)}`)).json();
    return { csrf: session.csrf as string, setDigest: setDigest as string };
  }, refunds);
}

function post(path: string, { csrf, setDigest }: { readonly csrf: string; readonly setDigest: string }) {
  return seen.page.evaluate(
    async ({ path, uri, csrf, setDigest }) => {
      const headers = { 'content-type': 'application/json', 'x-skillwire-csrf': csrf };
      const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify({ uri, setDigest }) });
      return { status: answer.status, body: await answer.json() };
    },
    { path, uri: refunds, csrf, setDigest },
  );
}

describe('a server that serves approved skills only', () => {
  test('shows waiting skills in its catalog, and serves none of them to agents', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/`);
    await page.locator('a.line', { hasText: 'waiting for approval' }).first().waitFor();
    expect(await page.locator('h1').textContent()).toBe('0 skills for your agents');
    expect(await page.locator('a.line', { hasText: 'waiting for approval' }).count()).toBe(3);
    await page.getByRole('button', { name: 'Not served' }).click();
    await page.locator('#found', { hasText: '3 skills.' }).waitFor();
    await seen.picture('policy-catalog');
    await expectAccessible(page);
    await expect(client.readResource({ uri: refunds })).rejects.toThrow();
  });

  test('has one queue, on the page and in "skillwire waiting"', async () => {
    await openQueue();
    const rows = await seen.page.evaluate(async () => (await (await fetch('api/queue')).json()).waiting);
    const queue = await eventually(async () => {
      const all = await waiting();
      expect(all).toHaveLength(3);
      return all;
    }, 200);
    const sets = (all: readonly { setDigest: string }[]): string[] => all.map(({ setDigest }) => setDigest).sort();
    expect(sets(rows)).toEqual(sets(queue));
    expect(queue.find(({ origin }) => origin === 'docs')?.uri).toBe('skill://refunds/SKILL.md');
    await seen.picture('policy-queue');
  });

  test('serves a skill as soon as it is approved in the queue', async () => {
    const { page } = seen;
    await openQueue();
    await waits('refunds').click();
    await page.getByLabel('Let agents run its scripts').check();
    await page.getByLabel('Comment').fill('first look');
    await page.getByRole('button', { name: 'Approve this version' }).click();
    await waits('refunds').waitFor({ state: 'detached' });
    expect(await read()).toContain('First version.');
    await openSkill();
    await page.locator('header .badge', { hasText: 'approved' }).waitFor();
    expect(await page.locator('.notice', { hasText: 'waiting for approval' }).count()).toBe(0);
    expect(await page.locator('.choices button').allTextContents()).toEqual([
      'Deny this version',
      'Withdraw approval',
      'Disable',
    ]);
    await seen.picture('policy-approved');
    await eventually(async () =>
      expect((await waiting()).map(({ uri }) => uri)).not.toContain('skill://refunds/SKILL.md'),
    );
    const { approvals } = JSON.parse((await served.folder.run(['approvals', '--json'])).stdout);
    expect(approvals).toMatchObject([{ origin: 'docs', uri: 'skill://refunds/SKILL.md', reason: 'first look' }]);
  });

  test('shares its approvals with a host that uses the same state', async () => {
    const source = directorySource([{ path: `${served.folder.path}/content/docs` }], { watch: false, cache: false });
    const host = await openHost([{ label: 'docs', source, local: false }], {
      state: `${served.folder.path}/no-home`,
    });
    try {
      const loaded = await host.load({ label: 'docs', uri: 'skill://refunds/SKILL.md' });
      expect(loaded.text).toContain('First version.');
      expect(loaded.grants).toEqual({ execution: true, allowedTools: [] });
      await expect(host.load({ label: 'docs', uri: 'skill://style/SKILL.md' })).rejects.toThrow(/approv/);
    } finally {
      await host.close();
    }
    await seen.picture('policy-host');
  });

  test('keeps serving the approved version while a new one is waiting, and shows the difference', async () => {
    const { page } = seen;
    served.folder.write({
      'content/docs/refunds/SKILL.md': skillText('refunds', 'Second version.\n'),
      [script]: '#!/bin/sh\ncurl https://pay.example\n',
    });
    await page.locator('.notice', { hasText: 'This newer one is waiting.' }).waitFor();
    await page.locator('.summary', { hasText: 'Changed script' }).waitFor();
    expect(await page.locator('.summary li').allTextContents()).toEqual([
      'Changed script: "scripts/pay.sh".',
      'It now mentions network hosts: "pay.example".',
      expect.stringContaining('SKILL.md'),
    ]);
    expect(await page.locator('select').first().locator('option:checked').textContent()).toMatch(/approved, served/);
    expect(await read()).toContain('First version.');
    await seen.picture('policy-new-version');
    await expectAccessible(page);
    await openQueue();
    await waits('refunds').locator('.badge', { hasText: 'new version waiting' }).waitFor();
    expect(await eventually(waiting, 200)).toContainEqual(
      expect.objectContaining({ origin: 'docs', state: 'waiting', change: 'changed' }),
    );
  });

  test('keeps the approved version if the new one is denied; then nothing is waiting', async () => {
    const { page } = seen;
    await openQueue();
    await waits('refunds').click();
    await page.getByRole('button', { name: 'Deny this version' }).click();
    await waits('refunds').waitFor({ state: 'detached' });
    await openSkill();
    await page.locator('header .badge', { hasText: 'denied' }).waitFor();
    expect(await page.locator('.choices button').allTextContents()).toEqual([
      'Approve this version',
      'Withdraw denial',
      'Disable',
    ]);
    await seen.picture('policy-denied');
    expect(await read()).toContain('First version.');
    expect((await waiting()).map(({ uri }) => uri)).not.toContain('skill://refunds/SKILL.md');
    await openQueue();
    expect(await waits('refunds').count()).toBe(0);
  });

  test('decides nothing about a version that has changed meanwhile', async () => {
    const stale = await shownSet();
    served.folder.write({ 'content/docs/refunds/SKILL.md': skillText('refunds', 'Third version.\n') });
    await waits('refunds').waitFor();
    for (const path of ['api/approve', 'api/deny'])
      expect(await post(path, stale)).toMatchObject({
        status: 403,
        body: { error: { message: expect.stringContaining('changed since it was shown') } },
      });
    await seen.picture('policy-changed-meanwhile');
    expect(await read()).toContain('First version.');
  });

  test('serves the new version once it is approved', async () => {
    const { page } = seen;
    await openQueue();
    await waits('refunds').click();
    await page.locator('.summary', { hasText: 'Changed script' }).waitFor();
    await page.getByRole('button', { name: 'Approve this version' }).click();
    await waits('refunds').waitFor({ state: 'detached' });
    expect(await read()).toContain('Third version.');
    await openSkill();
    await page.locator('header .badge', { hasText: 'approved' }).waitFor();
    // The version that was approved first stays in the list, which arrives after the badge.
    await page.locator('select option', { hasText: 'approved before' }).first().waitFor({ state: 'attached' });
    const versions = await page.locator('select').first().locator('option').allTextContents();
    expect(versions.filter((text) => text.includes('approved before'))).toHaveLength(1);
    expect(versions.filter((text) => text.includes('now, approved'))).toHaveLength(1);
    expect(await read('skill://docs/refunds/scripts/pay.sh')).toContain('pay.example');
    await page.getByRole('button', { name: 'Withdraw approval' }).click();
    await page.locator('.notice', { hasText: 'It is waiting for approval' }).waitFor();
    await seen.picture('policy-taken-back');
    await expect(client.readResource({ uri: refunds })).rejects.toThrow();
  });
});
