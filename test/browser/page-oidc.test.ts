/** People sign in on the page at a real authorization server, in a real browser; their groups decide what they may do. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../authorization-server.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText, trustFiles } from '../e2e/cli-process.ts';
import { freePort } from '../e2e/free-port.ts';
import { eventually } from '../eventually.ts';
import { listeningAt } from '../served-folder.ts';
import { expectAccessible } from './accessible.ts';
import { closeBrowser, type Visit, visit } from './served-page.ts';

const secret = 'secret-of-the-page';
let login: AuthorizationServer;
let folder: CliFolder;
let server: CliProcess;
let url = '';
let seen: Visit;

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  login = await startAuthorizationServer({
    resources: () => [],
    groups: { ada: ['owners'], bob: ['readers'], eve: [] },
    clients: [
      {
        client_id: 'page',
        client_secret: secret,
        redirect_uris: [`${url}/auth/callback`],
        post_logout_redirect_uris: [`${url}/`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
  });
  folder = cliFolder();
  folder.write({
    'skillwire.json': JSON.stringify({
      origins: { docs: './content/docs', ops: './content/ops' },
      profiles: { writers: { origins: ['docs'] }, everything: {} },
      policy: { mode: 'approved-only' },
      access: {
        url,
        oidc: {
          issuer: login.issuer,
          audience: `${url}/mcp`,
          signIn: { clientId: 'page', clientSecretEnv: 'PAGE_SECRET', name: 'Acme', scopes: ['profile', 'groups'] },
          claims: [
            { match: { groups: 'readers' }, profile: 'writers' },
            { match: { groups: 'owners' }, profile: 'everything', approver: true },
          ],
        },
      },
    }),
    'content/docs/refunds/SKILL.md': skillText('refunds', 'How to refund.\n'),
    'content/ops/restart/SKILL.md': skillText('restart', 'How to restart.\n'),
  });
  await trustFiles(folder.run);
  server = folder.start(['serve', '--http', String(port), '--json'], { PAGE_SECRET: secret });
  await listeningAt(server);
  seen = await visit();
}, 120_000);

afterEach(async () => {
  await seen.keep();
});

afterAll(async () => {
  await seen?.close();
  server?.child.kill();
  await server?.ended;
  folder?.remove();
  await login?.close();
  await closeBrowser();
});

async function signInAs(name: string): Promise<void> {
  const { page } = seen;
  await page.goto(`${url}/`);
  await page.getByRole('link', { name: 'Sign in with Acme' }).click();
  await page.getByLabel('Login').fill(name);
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function signOut(): Promise<void> {
  const { page } = seen;
  await page.getByRole('button', { name: 'Sign out' }).click();
  // The provider asks whether to sign out there too.
  await page.locator('button[value=yes]').click();
  await page.locator('h1', { hasText: 'Sign in' }).waitFor();
}

test('a reader sees the profile of their group and cannot decide', async () => {
  const { page } = seen;
  await page.goto(`${url}/`);
  await page.locator('h1', { hasText: 'Sign in' }).waitFor();
  await page.getByLabel('Token').waitFor();
  await seen.picture('oidc-locked');
  await expectAccessible(page);
  await signInAs('bob');
  await page.locator('footer', { hasText: 'signed in as bob (writers)' }).waitFor();
  expect(await page.locator('nav[aria-label=Views] a').allTextContents()).toEqual(['Skills', 'Try it', 'Connect']);
  const cookies = await page.context().cookies(`${url}/api`);
  const session = cookies.find(({ name }) => name.startsWith('skillwire-page'));
  expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  expect(JSON.stringify(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]))).toBe(
    '[0,0,""]',
  );
  await signOut();
});

test('an owner approves, and the audit names them by subject and issuer', async () => {
  const { page } = seen;
  await signInAs('ada');
  await page.locator('footer', { hasText: 'signed in as ada (everything)' }).waitFor();
  await page.goto(`${url}/#/review`);
  await page.locator('.queue a', { hasText: 'refunds' }).click();
  await page.getByLabel('Comment').fill('OPS-12');
  await page.getByRole('button', { name: 'Approve this version' }).click();
  const approval = async () => {
    const { stdout } = await folder.run(['audit', '--json']);
    const records = stdout.trim().split('\n');
    return records
      .map((line) => JSON.parse(line) as { readonly action: string; readonly data?: object })
      .find(({ action }) => action === 'approve');
  };
  await eventually(async () =>
    expect((await approval())?.data).toMatchObject({ user: 'ada', subject: 'ada', issuer: login.issuer }),
  );
});

test('a session ends when its person is revoked', async () => {
  const { page } = seen;
  expect((await folder.run(['token', 'revoke', '--subject', 'ada', '--reason', 'left'])).exitCode).toBe(0);
  await page.reload();
  await page.locator('h1', { hasText: 'Sign in' }).waitFor();
});

test('a person without a group gets no access, and a wrong answer is refused', async () => {
  const { page } = seen;
  await page.context().clearCookies();
  await signInAs('eve');
  await page.locator('h1', { hasText: 'Sign in' }).waitFor();
  expect(await page.locator('body').textContent()).not.toMatch(/refunds|restart/);
  await page.goto(`${url}/auth/callback?code=x&state=y`);
  await page.locator('h1', { hasText: 'Sign-in failed' }).waitFor();
  expect(server.stderr()).not.toContain(secret);
});
