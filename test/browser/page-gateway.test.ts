/** The page of a gateway in a real browser: health of origins that come and go, facets over all of them, templates of live skills. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createRuntime, type Runtime } from '../../src/runtime-client/index.node.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from '../e2e/cli-process.ts';
import { eventually } from '../eventually.ts';
import { listeningAt, startServing } from '../served-folder.ts';
import { expectAccessible } from './accessible.ts';
import { closeBrowser, type ServedPage, type Visit, visit, withLink } from './served-page.ts';

let upstream: CliFolder;
let remote: CliProcess | undefined;
let port = '';
let served: ServedPage;
let runtime: Runtime;
let seen: Visit;

async function startRemote(at: string): Promise<string> {
  remote = upstream.start(['serve', './skills', '--http', at, '--json']);
  return new URL((await listeningAt(remote)).url).port;
}

async function stopRemote(): Promise<void> {
  remote?.child.kill();
  await remote?.ended;
}

beforeAll(async () => {
  upstream = cliFolder();
  upstream.write({ 'skills/far/SKILL.md': skillText('far', 'From afar.\n') });
  port = await startRemote('0');
  await stopRemote();
  const started = await startServing(
    {
      'skillwire.json': JSON.stringify({
        origins: {
          docs: './content',
          remote: { mcp: `http://127.0.0.1:${port}/mcp`, ttl: '1s', deadline: '5s' },
        },
      }),
      'content/plain/SKILL.md': skillText('plain'),
      'content/tool/SKILL.md': skillText('tool'),
      'content/tool/scripts/run.sh': '#!/bin/sh\necho run\n',
      'content/broken/SKILL.md': '---\nname: broken\n---\nText.\n',
    },
    ['--config', 'skillwire.json', '--mdp'],
  );
  served = await withLink(started);
  runtime = createRuntime({ url: served.mdp ?? '', id: 'shop', name: 'A shop' });
  runtime.expose('/orders/:id/skill.md', { description: 'One order.' }, ({ params }) => `# Order ${params['id']}`);
  runtime.expose('/orders/1041/skill.md', { description: 'Order 1041.' }, () => '# Order 1041');
  runtime.expose('/orders/1077/skill.md', { description: 'Order 1077.' }, () => '# Order 1077');
  await runtime.connect();
  seen = await visit();
}, 120_000);

afterEach(async () => {
  await seen.keep();
});

afterAll(async () => {
  await seen?.close();
  await runtime?.close();
  await served?.stop();
  await stopRemote();
  upstream?.remove();
  await closeBrowser();
});

test('an origin that is down is shown with its reason and remedy, until it returns', async () => {
  const { page } = seen;
  await page.goto(`${served.url}/#/origins`);
  const card = page.locator('.origin', { hasText: 'remote' });
  await card.locator('.badge', { hasText: 'unreachable' }).waitFor();
  expect(await card.locator('.notice').textContent()).toMatch(/To do: start it, or correct its address/);
  expect(await card.locator('dl').textContent()).toMatch(/Since\d+ \w+ \d{4}/);
  await page
    .locator('.origin', { hasText: 'docs' })
    .locator('.badge', { hasText: /^ready/ })
    .waitFor();
  await seen.picture('gateway-origin-down');
  await expectAccessible(page);
  await startRemote(port);
  await card.locator('.badge', { hasText: /^ready/ }).waitFor();
  await card.locator('a', { hasText: '1 skill' }).waitFor();
  expect(await card.locator('.notice').count()).toBe(0);
  await seen.picture('gateway-origin-back');
  await stopRemote();
  await card.locator('.badge', { hasText: 'its last listing is served' }).waitFor();
  expect(await card.locator('.notice').textContent()).toMatch(/To do: restore the origin/);
  await seen.picture('gateway-origin-stale');
}, 240_000);

test('filters narrow by origin, verification, scripts and live skills, with problems above', async () => {
  const { page } = seen;
  await page.goto(`${served.url}/#/`);
  const names = async (): Promise<string[]> =>
    (await page.locator('.line strong:first-child').allTextContents()).sort();
  const chip = (name: string) => page.getByRole('button', { name: new RegExp(`^${name} \\d`) });
  const narrowed = async (name: string, expected: readonly string[]): Promise<void> => {
    await chip(name).click();
    await eventually(async () =>
      expect((await page.locator('a.line .head strong').allTextContents()).sort()).toEqual(expected),
    );
    await seen.picture(`facet-${name.toLowerCase().replaceAll(' ', '-')}`);
    await chip(name).click();
  };
  await narrowed('Has scripts', ['tool']);
  await narrowed('Live', ['1041', '1077']);
  await narrowed('Verified', ['far', 'plain', 'tool']);
  await page.locator('.finding', { hasText: 'broken' }).first().waitFor();
  await page.getByLabel('Origin').selectOption('remote');
  await eventually(async () => expect(await names()).toEqual(['far']));
  await seen.picture('facet-origin');
  await expectAccessible(page);
});

test('the variables of a template of live skills are completed with current values', async () => {
  const { page } = seen;
  await page.goto(`${served.url}/#/origins`);
  const template = page.locator('section.card', { hasText: 'skill://mdp/shop/orders/{id}/SKILL.md' });
  const options = async (): Promise<(string | null)[]> =>
    template.locator('option').evaluateAll((all) => all.map((option) => option.getAttribute('value')));
  await template.waitFor();
  await eventually(async () => expect(await options()).toEqual(['1041', '1077']));
  await template.getByLabel('id').fill('107');
  await eventually(async () => expect(await options()).toEqual(['1077']));
  runtime.expose('/orders/1078/skill.md', { description: 'Order 1078.' }, () => '# Order 1078');
  await eventually(async () => expect(await options()).toEqual(['1077', '1078']));
  await seen.picture('template-picker');
  await expectAccessible(page);
  await template.getByLabel('id').fill('5');
  await template.getByRole('link', { name: /^Open/ }).click();
  await page.locator('.markdown', { hasText: 'Order 5' }).waitFor();
  await seen.picture('template-opened');
});
