/** The page of a server that asks for tokens, in a real browser: signing in, one profile, deciding, and being signed out. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { skillText } from '../e2e/cli-process.ts';
import { eventually } from '../eventually.ts';
import { companyConfiguration, type ServedFolder, startServing } from '../served-folder.ts';
import { expectAccessible } from './accessible.ts';
import { closeBrowser, type Visit, visit } from './served-page.ts';

let served: ServedFolder;
let seen: Visit;

beforeAll(async () => {
  served = await startServing({
    'skillwire.json': companyConfiguration,
    'content/docs/refunds/SKILL.md': skillText('refunds', 'How to refund.\n'),
    'content/ops/restart/SKILL.md': skillText('restart', 'How to restart.\n'),
  });
  seen = await visit();
}, 120_000);

afterEach(async () => {
  await seen.keep();
});

afterAll(async () => {
  await seen?.close();
  await served?.stop();
  await closeBrowser();
});

async function addToken(name: string, ...more: readonly string[]): Promise<string> {
  const added = await served.folder.run(['token', 'add', name, '--profile', 'writers', ...more]);
  expect(added.exitCode, added.stderr).toBe(0);
  return added.stdout.trim();
}

async function signIn(token: string): Promise<void> {
  await seen.page.getByLabel('Token').fill(token);
  await seen.page.getByRole('button', { name: 'Sign in' }).click();
}

test('nothing is shown without a token, and a wrong one is refused', async () => {
  const { page } = seen;
  await page.goto(`${served.url}/`);
  await page.locator('h1', { hasText: 'Sign in' }).waitFor();
  expect(await page.locator('body').textContent()).not.toMatch(/refunds|restart/);
  expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('password');
  await seen.picture('token-locked');
  await expectAccessible(page);
  await signIn(`skw_aaaaaaaa_${'x'.repeat(43)}`);
  await page.locator('.notice', { hasText: 'That token was not accepted.' }).waitFor();
  await seen.picture('token-refused');
});

test('a reader sees its profile and cannot decide', async () => {
  const { page } = seen;
  await signIn(await addToken('reader'));
  await page.locator('h1', { hasText: '0 skills for your agents' }).waitFor();
  expect(await page.locator('nav[aria-label=Views] a').allTextContents()).toEqual(['Skills', 'Try it', 'Connect']);
  expect(await page.locator('footer').textContent()).toContain('signed in as reader (writers)');
  await page.goto(`${served.url}/#/connect`);
  await page.getByRole('button', { name: 'Cursor' }).click();
  expect(await page.locator('.paste pre').first().textContent()).toContain('SKILLWIRE_TOKEN');
  await seen.picture('token-reader');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('h1', { hasText: 'Sign in' }).waitFor();
});

test('an approver decides about the skills of its profile, under its name', async () => {
  const { page } = seen;
  const token = await addToken('dana', '--approver');
  await signIn(token);
  await page.goto(`${served.url}/#/`);
  await page.locator('a.line', { hasText: 'refunds' }).click();
  await page.locator('.install pre', { hasText: '--token-env SKILLWIRE_TOKEN' }).waitFor();
  await page.locator('.install', { hasText: 'Put your token into the environment variable SKILLWIRE_TOKEN' }).waitFor();
  await seen.picture('token-install');
  await page.goto(`${served.url}/#/review`);
  await page.locator('.queue a').first().waitFor();
  expect(await page.locator('.queue a strong').allTextContents()).toEqual(['refunds']);
  await page.locator('.queue a', { hasText: 'refunds' }).click();
  await page.getByLabel('Comment').fill('OPS-12');
  await page.getByRole('button', { name: 'Approve this version' }).click();
  await page.locator('.queue-pane .empty', { hasText: 'No skills are waiting.' }).waitFor();
  const headers = { authorization: `Bearer ${token}` };
  const listing = await fetch(`${served.url}/.well-known/agent-skills/index.json`, { headers });
  expect(await listing.text()).toContain('"refunds"');
  await page.goto(`${served.url}/#/log`);
  await page.locator('tr', { hasText: 'approve' }).filter({ hasText: 'dana' }).waitFor();
  await seen.picture('token-approver');
  await expectAccessible(page);
  expect((await served.folder.run(['audit'])).stdout).toMatch(/approve.*dana/);
});

test('a revoked token ends the session while the page is open', async () => {
  const { page } = seen;
  await page.goto(`${served.url}/`);
  await page.locator('a.line', { hasText: 'refunds' }).waitFor();
  expect((await served.folder.run(['token', 'revoke', 'dana', '--reason', 'left'])).exitCode).toBe(0);
  await page.locator('h1', { hasText: 'Sign in' }).waitFor();
  await seen.picture('token-revoked');
  await eventually(async () => expect(await page.locator('body').textContent()).not.toContain('refunds'));
});
