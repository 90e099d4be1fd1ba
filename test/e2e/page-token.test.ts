/** Signing in to the page with a token, for servers whose terminal nobody sees. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServedFolder, startServing } from '../served-folder.ts';
import { type CliFolder, skillText } from './cli-process.ts';

const token = 'correct horse battery staple';
let served: ServedFolder;
let folder: CliFolder;
let url: string;

beforeAll(async () => {
  const files = { 'skills/notes/SKILL.md': skillText('notes') };
  served = await startServing(files, ['./skills', '--page-token-env', 'PAGE_TOKEN'], { PAGE_TOKEN: token });
  ({ folder, url } = served);
});

afterAll(() => served?.stop());

const send = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, ...headers },
    body: JSON.stringify(body),
  });

describe('serve --page-token-env', () => {
  test('lets only a browser with the token decide', async () => {
    expect((await send('/api/session', { token: 'guess' })).status).toBe(401);
    const answer = await send('/api/session', { token });
    const { csrf } = (await answer.json()) as { csrf: string };
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    const uri = 'skill://notes/SKILL.md';
    const { setDigest } = (await (await fetch(`${url}/api/skill?uri=${uri}`)).json()) as { setDigest: string };
    const headers = { cookie, 'x-skillwire-csrf': csrf };
    expect((await send('/api/approve', { uri, setDigest, reason: 'with a token' }, headers)).status).toBe(200);
    const { stdout } = await folder.run(['approvals', '--json']);
    expect(JSON.parse(stdout).approvals).toMatchObject([{ uri, reason: 'with a token' }]);
  });

  test.each([
    ['is not set', {}],
    ['is too short', { PAGE_TOKEN: 'tiny' }],
  ])('refuses a token that %s', async (fault, env) => {
    const run = await folder.run(['serve', './skills', '--http', '0', '--page-token-env', 'PAGE_TOKEN'], env);
    expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(fault) });
    expect(run.stderr).not.toContain('tiny');
  });

  test('refuses a token in place of the name of a variable, without repeating it, and over stdio', async () => {
    const wrong = await folder.run(['serve', './skills', '--page-token-env', 'my secret!']);
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.not.stringContaining('my secret!') });
    const stdio = await folder.run(['serve', './skills', '--stdio', '--page-token-env', 'PAGE_TOKEN'], {
      PAGE_TOKEN: token,
    });
    expect(stdio).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--page-token-env') });
  });
});
