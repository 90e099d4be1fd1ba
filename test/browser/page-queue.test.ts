/** A queue of fifteen skills, reviewed on the page: by keyboard alone, and at once by one digest over the shown versions. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { skillText } from '../e2e/cli-process.ts';
import { eventually } from '../eventually.ts';
import { startServing } from '../served-folder.ts';
import { expectAccessible } from './accessible.ts';
import { closeBrowser, type ServedPage, type Visit, visit, withLink } from './served-page.ts';

const names = Array.from({ length: 15 }, (_, place) => `skill-${String(place + 1).padStart(2, '0')}`);
let served: ServedPage;
let seen: Visit;

beforeAll(async () => {
  const files = Object.fromEntries(
    names.map((name) => [`team/${name}/SKILL.md`, skillText(name, `Text of ${name}.\n`)]),
  );
  const configuration = { origins: { team: './team' }, policy: { mode: 'approved-only' } };
  served = await withLink(await startServing({ 'skillwire.json': JSON.stringify(configuration), ...files }));
  seen = await visit();
  await seen.page.goto(served.link());
  await seen.page.locator('.queue a').nth(14).waitFor();
}, 120_000);

afterEach(async () => {
  await seen.keep();
});

afterAll(async () => {
  await seen?.close();
  await served?.stop();
  await closeBrowser();
});

const left = (): Promise<number> => seen.page.locator('.queue-pane > .queue a').count();
const approvedNames = async (): Promise<string[]> =>
  JSON.parse((await served.folder.run(['approvals', '--json'])).stdout).approvals.map(
    ({ uri }: { uri: string }) => uri,
  );

test('is filtered, and a part of it is approved at once by the shown digest', async () => {
  const { page } = seen;
  await page.getByLabel('Filter the queue').fill('skill-1');
  await eventually(async () => expect(await left()).toBe(6));
  await page.getByRole('button', { name: /^Approve all shown 6/ }).click();
  await page.getByRole('heading', { name: 'Approve 6 skills?' }).waitFor();
  await seen.picture('queue-plan');
  await expectAccessible(page);
  // A version changes before the answer, so the digest differs and nothing is approved.
  const { csrf, plan } = await page.evaluate(async () => {
    const { session } = await (await fetch('api')).json();
    const queue = await (await fetch('api/queue?q=skill-1')).json();
    return { csrf: session.csrf as string, plan: queue.plan.digest as string };
  });
  served.folder.write({ 'team/skill-10/SKILL.md': skillText('skill-10', 'Another text.\n') });
  await eventually(async () => {
    const now = await page.evaluate(async () => (await (await fetch('api/queue?q=skill-1')).json()).plan.digest);
    expect(now).not.toBe(plan);
  });
  const refused = await page.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json', 'x-skillwire-csrf': body.csrf };
      const answer = await fetch('api/approve-all', { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, text: await answer.text() };
    },
    { csrf, plan, q: 'skill-1' },
  );
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('Nothing was approved');
  expect(await approvedNames()).toEqual([]);
  await page.getByRole('button', { name: /^Approve all shown 6/ }).click();
  await page.getByRole('button', { name: 'Approve 6 skills' }).click();
  await eventually(async () => expect(await approvedNames()).toHaveLength(6), 200);
  await page.getByLabel('Filter the queue').fill('');
  await eventually(async () => expect(await left()).toBe(9));
});

test('is reviewed completely by keyboard', async () => {
  const { page } = seen;
  await page.goto(`${served.url}/`);
  await page.goto(`${served.url}/#/review`);
  await eventually(async () => expect(await left()).toBe(9));
  const open = async (): Promise<string> => (await page.locator('.open-pane h1').textContent()) ?? '';
  await page.keyboard.press('j');
  await page.locator('.open-pane h1').waitFor();
  const first = await open();
  await page.keyboard.press('j');
  await eventually(async () => expect(await open()).not.toBe(first));
  await eventually(async () => expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1'));
  await page.keyboard.press('k');
  await eventually(async () => expect(await open()).toBe(first));
  await page.keyboard.press('v');
  await page.getByRole('heading', { name: 'Files' }).waitFor();
  await page.keyboard.press('v');
  await seen.picture('queue-open');
  await expectAccessible(page);
  await page.locator('.choices').waitFor();
  await page.keyboard.press('d');
  await eventually(async () => expect(await left()).toBe(8));
  for (let rest = 7; rest >= 0; rest--) {
    await eventually(async () => expect(await open()).not.toBe(''));
    const now = await open();
    await page.locator('.choices').waitFor();
    await page.keyboard.press('a');
    await eventually(async () => expect(await left()).toBe(rest), 200);
    if (rest > 0) await eventually(async () => expect(await open()).not.toBe(now));
  }
  await page.locator('.empty', { hasText: 'No skills are waiting.' }).waitFor();
  await seen.picture('queue-empty');
  expect(await approvedNames()).toHaveLength(14);
  expect(seen.faults.filter((fault) => !fault.includes('status of 403'))).toEqual([]);
}, 240_000);
