/**
 * Skills that attack their readers, in a real browser. Nothing of them runs, no other server is requested, nothing covers the
 * page, and the page keeps answering.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hostileNames, hostileSkills } from './hostile-skills.ts';
import { closeBrowser, type ServedPage, servePageOf, type Visit, visit } from './served-page.ts';

let served: ServedPage;
let seen: Visit;

beforeAll(async () => {
  served = await servePageOf(hostileSkills());
  seen = await visit();
  await seen.page.goto(`${served.url}/`);
  await seen.page.locator('a.line').first().waitFor();
}, 120_000);

afterAll(async () => {
  await seen?.close();
  await served?.stop();
  await closeBrowser();
});

afterEach(async () => {
  await seen.keep();
});

/** True if a skill took control of the page. */
async function expectInert(): Promise<void> {
  const { page, requests, faults } = seen;
  const state = await page.evaluate(() => ({
    ran: (globalThis as unknown as { ran?: unknown }).ran,
    active: [
      ...document.querySelectorAll(
        'main :is(script,iframe,object,embed,form,base,meta,link,style,video,svg,template,math)',
      ),
    ].map(({ outerHTML }) => outerHTML.slice(0, 100)),
    handlers: [...document.querySelectorAll('main *')].flatMap((element) =>
      element
        .getAttributeNames()
        .filter((name) => name.startsWith('on') || (name === 'style' && element.closest('.markdown') !== null)),
    ),
    links: [...document.querySelectorAll('main .markdown a')]
      .map((link) => link.getAttribute('href') ?? '')
      .filter((href) => !/^(?:https?:\/\/|mailto:|#\/)/.test(href)),
    targets: [...document.querySelectorAll('main .markdown a.outside')].filter(
      (link) => !(link.getAttribute('rel') ?? '').includes('noopener'),
    ).length,
    heading: document.querySelector('header.top .mark')?.textContent?.trim(),
    width: document.documentElement.scrollWidth <= innerWidth,
  }));
  expect(state).toEqual({
    ran: undefined,
    active: [],
    handlers: [],
    links: [],
    targets: 0,
    heading: 'Skillwire',
    width: true,
  });
  expect(requests.filter((request) => !request.startsWith(`${served.url}/`))).toEqual([]);
  expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
}

test('there are enough of them, and all are served or have findings', async () => {
  expect(hostileNames.length).toBeGreaterThanOrEqual(40);
  const { skills, findings } = await (await fetch(`${served.url}/api/skills`)).json();
  const found = new Set([
    ...skills.map(({ name }: { name: string }) => name),
    ...findings.map(({ file = '' }: { file?: string }) => file.split('/')[1]),
  ]);
  expect(hostileNames.filter((name) => !found.has(name))).toEqual([]);
});

describe('a hostile skill is inert', () => {
  test('in the catalog', async () => {
    await seen.picture('hostile-catalog');
    await expectInert();
  });

  test.each(hostileNames.filter((name) => name !== 'nul-bytes'))('%s', async (name) => {
    const { page } = seen;
    await page.goto(`${served.url}/#/skill/${encodeURIComponent(`skill://${name}/SKILL.md`)}`);
    await page.locator('h1', { hasText: name }).first().waitFor();
    await page.locator('.markdown, pre.source').first().waitFor();
    await seen.picture(`hostile-${name}`);
    await expectInert();
    // The page still responds: it shows the raw text, and a key leads to the catalog.
    const raw = page.getByRole('button', { name: 'Raw' });
    if ((await raw.count()) > 0) await raw.click();
    await page.locator('pre.source').first().waitFor();
    await expectInert();
  });

  test('when its remaining links are followed', async () => {
    const { page } = seen;
    for (const name of [
      'javascript-link-case',
      'javascript-link-entity',
      'link-escape',
      'own-svg',
      'protocol-relative',
    ]) {
      await page.goto(`${served.url}/#/skill/${encodeURIComponent(`skill://${name}/SKILL.md`)}`);
      await page.locator('.markdown').waitFor();
      for (const link of await page.locator('.markdown a').all()) await link.dispatchEvent('click');
      await expectInert();
    }
  });

  test.each(['five-megabytes.txt', 'five-megabytes.md'])('%s is cut after its beginning', async (file) => {
    const { page } = seen;
    await page.goto(`${served.url}/#/skill/${encodeURIComponent(`skill://long-line/${file}`)}`);
    await page.locator('.notice', { hasText: 'Only the beginning is shown' }).waitFor();
    await seen.picture(`hostile-${file}`);
    await expectInert();
  });

  test('when somebody opens the address of a file', async () => {
    for (const route of ['bytes', 'image', 'text']) {
      const uri = encodeURIComponent('skill://own-svg/evil.svg');
      const answer = await fetch(`${served.url}/api/${route}?uri=${uri}`);
      expect(answer.headers.get('content-type')).not.toMatch(/svg|html/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    expect((await fetch(`${served.url}/api/image?uri=skill://fake-picture/fake.png`)).status).toBe(400);
  });
});
