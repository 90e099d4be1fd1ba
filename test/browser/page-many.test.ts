/** Ten thousand skills in a real browser: the work of scrolling and typing, compared with that of a hundred skills. */
import { memorySource } from 'skillwire';
import { type ServeHandle, serve } from 'skillwire/node';
import { afterAll, expect, test } from 'vitest';
import { closeBrowser, visit } from './served-page.ts';

interface Work {
  /** Rows in the document, at most. */
  readonly rows: number;
  /** Elements that were added to the document. */
  readonly added: number;
  /** Processor time of the page's thread. */
  readonly seconds: number;
}

afterAll(closeBrowser);

async function serveMany(count: number): Promise<ServeHandle> {
  const source = memorySource();
  for (let number = 0; number < count; number++)
    source.add(`area-${number % 100}/skill-${number}`, { description: `Does thing number ${number} well.` }, 'Text.');
  return serve({ source, http: { host: '127.0.0.1', port: 0 } });
}

/** Scrolls through the list and back, then types a query letter by letter and deletes it. */
async function use(count: number): Promise<{ readonly scrolling: Work; readonly typing: Work }> {
  const handle = await serveMany(count);
  const seen = await visit();
  const { page } = seen;
  try {
    await page.goto(`${handle.url}/`);
    await page.locator('#found', { hasText: `${count.toLocaleString('en')} skills` }).waitFor();
    const metrics = await page.context().newCDPSession(page);
    await metrics.send('Performance.enable', { timeDomain: 'threadTicks' });
    const seconds = async (): Promise<number> =>
      (await metrics.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    const worked = async (act: () => Promise<void>): Promise<Work> => {
      await page.evaluate(() => {
        const counters = globalThis as unknown as { counts: { added: number; rows: number } };
        counters.counts = { added: 0, rows: 0 };
        new MutationObserver((changes) => {
          for (const { addedNodes } of changes)
            for (const node of addedNodes)
              if (node instanceof Element) counters.counts.added += 1 + node.getElementsByTagName('*').length;
          counters.counts.rows = Math.max(counters.counts.rows, document.getElementsByClassName('slot').length);
        }).observe(document.body, { childList: true, subtree: true });
      });
      const before = await seconds();
      await act();
      const spent = (await seconds()) - before;
      const counts = await page.evaluate(
        () => (globalThis as unknown as { counts: { added: number; rows: number } }).counts,
      );
      return { ...counts, seconds: spent };
    };
    const scrolling = await worked(async () => {
      for (let step = 1; step <= 60; step++) {
        await page.evaluate(
          (part) =>
            new Promise((done) => {
              scrollTo(0, document.documentElement.scrollHeight * part);
              requestAnimationFrame(() => requestAnimationFrame(done));
            }),
          step <= 30 ? step / 30 : (60 - step) / 30,
        );
      }
    });
    const typing = await worked(async () => {
      await page.locator('.search').pressSequentially('thing number 99');
      await page.locator('#found', { hasText: / of / }).waitFor();
      for (let letter = 0; letter < 15; letter++) await page.keyboard.press('Backspace');
      await page.locator('#found', { hasText: `${count.toLocaleString('en')} skills.` }).waitFor();
    });
    await seen.picture(`many-${count}`);
    expect(seen.faults).toEqual([]);
    return { scrolling, typing };
  } finally {
    await seen.close();
    await handle.close();
  }
}

test('ten thousand skills scroll like a hundred, and typing costs far less than a hundred times as much', async () => {
  const few = await use(100);
  const many = await use(10_000);
  const figures = JSON.stringify({ few, many });
  for (const { scrolling, typing } of [few, many])
    expect(Math.max(scrolling.rows, typing.rows), figures).toBeLessThan(60);
  // Every step of the long list shows new rows; a short list repeats some.
  expect(many.scrolling.added, figures).toBeLessThan(60 * 60 * 30);
  expect(many.typing.added, figures).toBeLessThan(few.typing.added * 3 + 5_000);
  expect(many.scrolling.seconds, figures).toBeLessThan(few.scrolling.seconds * 6 + 0.5);
  expect(many.typing.seconds, figures).toBeLessThan(few.typing.seconds * 25);
}, 180_000);

test('the last of ten thousand skills is found by scrolling and by typing', async () => {
  const handle = await serveMany(10_000);
  const seen = await visit();
  const { page } = seen;
  try {
    await page.goto(`${handle.url}/`);
    await page.locator('#found', { hasText: '10,000 skills' }).waitFor();
    await page.fill('.search', 'thimg 9999');
    await page.locator('a.line', { hasText: 'skill-9999' }).waitFor();
    await page.fill('.search', '');
    await page.locator('#found', { hasText: '10,000 skills' }).waitFor();
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.locator('a.line', { hasText: 'skill-9999' }).waitFor();
    await seen.picture('ten-thousand');
    expect(seen.faults).toEqual([]);
  } finally {
    await seen.close();
    await handle.close();
  }
}, 120_000);
