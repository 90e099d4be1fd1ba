/** A sign-in that begins at one server with a shared store and ends at another one. */
import { expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import type { PendingSignIn, SignInPort } from '../../serving/access/oidc/page-sign-in.ts';
import { pageVault } from '../../serving/access/page-vault.ts';
import { localTemporary } from '../../store/local-temporary.ts';
import { rootPath, signedInPath, signInPath } from '../routes.ts';
import type { PageRequest } from './page-request.ts';
import { createSignInRoutes } from './sign-in-routes.ts';

const pending: PendingSignIn = {
  issuer: 'https://id.example.com',
  state: 'state',
  nonce: 'nonce',
  verifier: 'verifier',
  redirectUri: 'https://skills.example.com/signed-in',
};

function servers(shared = pageVault(localTemporary())) {
  const finished: PendingSignIn[] = [];
  const port: SignInPort = {
    providers: () => [],
    begin: async () => ({ url: 'https://id.example.com/authorize', pending }),
    async finish(found) {
      finished.push(found);
      return { token: 'text' };
    },
  };
  const server = () =>
    createSignInRoutes({ port: () => port, open: async () => 'cookie', secure: () => false, shared });
  return { one: server(), two: server(), finished };
}

function request(target: string, cookie = ''): PageRequest {
  return {
    method: 'GET',
    target,
    header: (name: string) => (name === 'cookie' ? cookie : undefined),
    body: new Uint8Array(),
    signal: new AbortController().signal,
    sender: { page: 'other', local: false, client: '192.0.2.1' },
  } as unknown as PageRequest;
}

async function begun(at: ReturnType<typeof createSignInRoutes>): Promise<string> {
  const { headers } = await at.answer(request(signInPath));
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

test('is finished by the other server, once for both', async () => {
  const { one, two, finished } = servers();
  const cookie = await begun(one);
  expect(await two.answer(request(signedInPath, cookie))).toMatchObject({
    status: 303,
    headers: { location: rootPath },
  });
  for (const again of [one, two])
    expect(await again.answer(request(signedInPath, cookie))).toMatchObject({ status: 400 });
  expect(finished).toEqual([pending]);
});

test('belongs to the browser that began it', async () => {
  const { one, two, finished } = servers();
  const [name] = (await begun(one)).split('=');
  for (const cookie of ['', `${name}=wrong`])
    expect(await two.answer(request(signedInPath, cookie))).toMatchObject({ status: 400 });
  expect(finished).toEqual([]);
});

test('a client that begins very many is served by one server, and does not fill the store', async () => {
  let saved = 0;
  const vault = pageVault(localTemporary());
  const { one, finished } = servers({
    ...vault,
    async save(...args) {
      saved += 1;
      await vault.save(...args);
    },
  });
  let cookie = '';
  for (let turn = 0; turn < limits.page.attempts * 3; turn += 1) cookie = await begun(one);
  expect(saved).toBe(limits.page.attempts);
  expect(await one.answer(request(signedInPath, cookie))).toMatchObject({ status: 303 });
  expect(finished).toHaveLength(1);
});
