/** Signatures on the page: the signer in the queue and beside the decision, and a version by somebody else that nobody can approve there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { cliFolder, skillText } from '../e2e/cli-process.ts';
import { eventually } from '../eventually.ts';
import { startServing } from '../served-folder.ts';
import { expectAccessible } from './accessible.ts';
import { closeBrowser, type ServedPage, type Visit, visit, withLink } from './served-page.ts';

const author = cliFolder();
let served: ServedPage;
let seen: Visit;

const signatureFile = 'team/tool/skill.oms.sig';
/** The files of the skill, signed by one of two people. */
async function signedBy(name: string, body: string): Promise<Readonly<Record<string, string>>> {
  author.write({ 'team/tool/SKILL.md': skillText('tool', body) });
  expect(await author.run(['sign', './team', '--key', `${name}.key`])).toMatchObject({ exitCode: 0 });
  const read = (path: string): string => readFileSync(join(author.path, path), 'utf8');
  return { 'team/tool/SKILL.md': read('team/tool/SKILL.md'), [signatureFile]: read(signatureFile) };
}

beforeAll(async () => {
  const keys: Record<string, string> = {};
  for (const name of ['anna', 'berta']) {
    expect(await author.run(['keygen', '--out', `${name}.key`])).toMatchObject({ exitCode: 0 });
    keys[`${name}.pub`] = readFileSync(join(author.path, `${name}.key.pub`), 'utf8');
  }
  const configuration = {
    origins: { team: './team' },
    signers: { anna: { key: './anna.pub' }, berta: { key: './berta.pub' } },
    policy: { mode: 'approved-only', signatures: [{ origin: 'team', require: ['anna', 'berta'] }] },
  };
  const files = await signedBy('anna', 'The first version.\n');
  served = await withLink(await startServing({ 'skillwire.json': JSON.stringify(configuration), ...keys, ...files }));
  seen = await visit();
  await seen.page.goto(served.link());
}, 120_000);

afterEach(async () => {
  await seen.keep();
});

afterAll(async () => {
  await seen?.close();
  await served?.stop();
  await closeBrowser();
});

test('the signer stands in the queue and beside the question', async () => {
  const { page } = seen;
  await page.locator('.queue a').getByText('signed by anna').waitFor();
  await page.locator('.queue a').first().click();
  const decision = page.getByRole('region', { name: 'Approval' });
  await decision.getByText('1 of 1 served files').waitFor();
  expect(await decision.innerText()).toContain('signed by anna (key sha256:');
  await expectAccessible(page);
});

test('a version by somebody else cannot be approved here, only with consent on the command line', async () => {
  const { page } = seen;
  await page.locator('.choices').waitFor();
  await page.locator('.choices').getByRole('button', { name: 'Approve' }).click();
  await page.locator('.empty', { hasText: 'No skills are waiting.' }).waitFor();

  served.folder.write(await signedBy('berta', 'The second version.\n'));
  await page.goto(`${served.url}/#/review`);
  await page.locator('.queue a').getByText('signer changed').waitFor();
  await page.locator('.queue a').first().click();
  const decision = page.getByRole('region', { name: 'Approval' });
  await decision.getByText('It cannot be approved here').waitFor();
  expect(await decision.innerText()).toContain('the signer changed from key sha256:');
  await seen.picture('signer-changed');
  await expectAccessible(page);

  // The server refuses, whatever a page sends.
  const refused = await page.evaluate(async (uri) => {
    const { session } = await (await fetch('api')).json();
    const { setDigest } = await (await fetch(`api/skill?uri=${encodeURIComponent(uri)}`)).json();
    const headers = { 'content-type': 'application/json', 'x-skillwire-csrf': session.csrf as string };
    const answer = await fetch('api/approve', { method: 'POST', headers, body: JSON.stringify({ uri, setDigest }) });
    return { status: answer.status, text: await answer.text() };
  }, 'skill://team/tool/SKILL.md');
  expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('SIGNER_CHANGED') });

  const approve = async (...more: readonly string[]) => {
    const question = await served.folder.run(['waiting', '--json']);
    const [row] = JSON.parse(question.stdout).waiting;
    return served.folder.run(['approve', 'team', 'tool', '--yes', row.setDigest, ...more]);
  };
  expect(await approve()).toMatchObject({ exitCode: 5 });
  expect(await approve('--allow-signer-change')).toMatchObject({ exitCode: 0 });
  await page.locator('.empty', { hasText: 'No skills are waiting.' }).waitFor();
  await eventually(() => expect(seen.faults.filter((fault) => !fault.includes('status of 403'))).toEqual([]));
});
