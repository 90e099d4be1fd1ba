/** A queue that is longer than one answer: the page says so, and offers one approval of the shown part, bound to its digest. */
import { afterAll, expect, test } from 'vitest';
import { skillText } from '../e2e/cli-process.ts';
import { startServing } from '../served-folder.ts';
import { closeBrowser, visit, withLink } from './served-page.ts';

afterAll(closeBrowser);

test('of 1,001 waiting skills, the first 1,000 are shown, and one plan covers exactly these', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 1_001 }, (_, place) => {
      const name = `skill-${String(place + 1).padStart(4, '0')}`;
      return [`team/${name}/SKILL.md`, skillText(name)] as const;
    }),
  );
  const configuration = { origins: { team: './team' }, policy: { mode: 'approved-only' } };
  const served = await withLink(await startServing({ 'skillwire.json': JSON.stringify(configuration), ...files }));
  const seen = await visit();
  const { page } = seen;
  try {
    const queue = async () => JSON.parse(await (await fetch(`${served.url}/api/queue?limit=1000`)).text());
    expect(await queue()).toMatchObject({ total: 1_001, all: 1_001, plan: { skills: 1_000 } });
    await page.goto(served.link());
    await page.getByRole('heading', { name: 'Waiting (1,001)' }).waitFor();
    await page.getByRole('status').getByText('First 1,000 of 1,001.').waitFor();
    expect(await page.locator('.queue-pane > .queue a').count()).toBe(1_000);
    await page.getByRole('button', { name: 'Approve the first 1,000…' }).click();
    await page.getByRole('heading', { name: 'Approve 1,000 skills?' }).waitFor();
    await seen.picture('long-queue');
    await page.getByRole('button', { name: 'Approve 1,000 skills' }).waitFor();
    expect(seen.faults).toEqual([]);
  } finally {
    await seen.close();
    await served.stop();
  }
}, 240_000);
