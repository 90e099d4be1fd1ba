/** Programs with an OAuth provider of their own: further scopes need the person, although there is a refresh token. */
import {
  auth,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import { afterEach, expect } from 'vitest';
import { mcpServerSource } from '../../../src/origins/mcp-server-source.ts';
import { browse } from '../../authorization-server.ts';
import { type ProtectedServer, startProtectedServer } from '../../protected-server.ts';
import { verifies } from '../../requirements/verifies.ts';

let server: ProtectedServer;
afterEach(() => server.close());

const redirectUrl = 'http://127.0.0.1:9/callback';

function providerOf() {
  const visited: URL[] = [];
  let client: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let verifier = '';
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Test',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information;
    },
    tokens: () => tokens,
    saveTokens: (next) => {
      tokens = next;
    },
    redirectToAuthorization: (url) => void visited.push(url),
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
  };
  return { provider, visited, tokens: () => tokens };
}

verifies(['ID-15'], 'a missing scope asks the person for the old scopes and the new one', async () => {
  // Sources reach private addresses of the host that the program named, and of no other.
  server = await startProtectedServer({}, {}, 'localhost');
  const { provider, visited, tokens } = providerOf();
  expect(await auth(provider, { serverUrl: server.url, scope: 'skills:write' })).toBe('REDIRECT');
  const { searchParams } = await browse(visited[0] ?? '');
  const iss = searchParams.get('iss') ?? '';
  await auth(provider, { serverUrl: server.url, authorizationCode: searchParams.get('code') ?? '', iss });
  expect(tokens()).toMatchObject({ refresh_token: expect.any(String) });

  const source = mcpServerSource({ url: server.url, authProvider: provider });
  const listing = async () => {
    for await (const page of source.list({})) if (page.skills.length > 0) return page;
    return undefined;
  };
  await expect(listing()).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
  expect(visited).toHaveLength(2);
  const scopes = visited[1]?.searchParams.get('scope')?.split(' ');
  expect(scopes).toEqual(expect.arrayContaining(['skills', 'skills:write']));
  expect(server.issuer.grants.filter(({ grant }) => grant === 'refresh_token')).toEqual([]);
  await source.close();
});
