/** Programs that use Skillwire as a library: their logins, token stores and OAuth providers. */
import {
  auth,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import { afterEach, expect, test } from 'vitest';
import { logIn, mcpServerSource, memoryTokens, openHost } from '../../../src/node/entries/host.ts';
import { browse } from '../../authorization-server.ts';
import { type CliFolder, cliFolder } from '../../e2e/cli-process.ts';
import { type ProtectedServer, startProtectedServer } from '../../protected-server.ts';
import { verifies } from '../../requirements/verifies.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function start(options: Parameters<typeof startProtectedServer>[0] = {}): Promise<ProtectedServer> {
  // Sources reach private addresses of the host that the program named, and of no other.
  const server = await startProtectedServer(options, {}, 'localhost');
  cleanUp.push(() => server.close());
  return server;
}

function ownFolder(): CliFolder {
  const folder = cliFolder();
  cleanUp.push(() => folder.remove());
  return folder;
}

/** A browser whose person consents. */
const open = async (url: URL): Promise<void> => {
  await fetch(await browse(url));
};

async function urisOf(source: ReturnType<typeof mcpServerSource>): Promise<readonly string[]> {
  const uris: string[] = [];
  for await (const { skills } of source.list({ fresh: true })) uris.push(...skills.map(({ entry }) => entry.uri));
  return uris;
}

test('a login into a store of the program is used by hosts and sources with that store alone', async () => {
  const server = await start();
  const origin = `mcp:${server.url}`;
  const tokens = memoryTokens();
  await logIn(origin, { tokens, open });
  const source = mcpServerSource({ url: server.url, tokens });
  cleanUp.push(() => source.close());
  expect(await urisOf(source)).toEqual(['skill://docs/refunds/SKILL.md']);
  const state = ownFolder().path;
  for (const [store, found] of [
    [tokens, 1],
    [memoryTokens(), 0],
  ] as const) {
    const host = await openHost([origin], { state, tokens: store });
    cleanUp.push(() => host.close());
    expect((await host.discover()).skills).toHaveLength(found);
  }
  expect(() => mcpServerSource({ url: server.url, tokens, token: 'x' })).toThrow('only one of');
  await expect(logIn('./folder', { open })).rejects.toThrow('Cannot log in');
});

test('a host takes an OAuth provider for an origin', async () => {
  const server = await start();
  const person = await signedIn(server.url);
  const requested: object[] = [];
  const host = await openHost([`docs=mcp:${server.url}`], {
    state: ownFolder().path,
    tokens: memoryTokens(),
    authProvider(origin) {
      requested.push(origin);
      return person.provider;
    },
  });
  cleanUp.push(() => host.close());
  expect((await host.discover()).skills).toHaveLength(1);
  expect(requested).toEqual([{ label: 'docs', url: server.url }]);
});

test('requests that are refused at once refresh one grant once', async () => {
  const server = await start();
  const person = await signedIn(server.url);
  const source = mcpServerSource({ url: server.url, authProvider: person.provider });
  cleanUp.push(() => source.close());
  const [uri = ''] = await urisOf(source);
  person.spoil();
  await Promise.all([source.get(uri, { fresh: true }), source.open(uri, {}), source.get(uri, { fresh: true })]);
  expect(server.issuer.grants.filter(({ grant }) => grant === 'refresh_token')).toEqual([
    { grant: 'refresh_token', status: 200 },
  ]);
});

verifies(['ID-5'], 'an OAuth provider is not sent to a server that hides PKCE, nor registered there', async () => {
  const server = await start({ hidesPkce: true });
  const { provider, visited } = personOf();
  const source = mcpServerSource({ url: server.url, authProvider: provider });
  cleanUp.push(() => source.close());
  await expect(urisOf(source)).rejects.toMatchObject({ data: { reason: 'no-pkce' } });
  expect(visited).toEqual([]);
  expect(server.issuer.requests.filter((line) => line.startsWith('POST'))).toEqual([]);
});

/** A provider as programs write them: a class with private fields. */
function personOf() {
  const redirectUrl = 'http://127.0.0.1:9/callback';
  const visited: URL[] = [];
  class Provider implements OAuthClientProvider {
    readonly redirectUrl = redirectUrl;
    readonly clientMetadata = {
      client_name: 'Test',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native' as const,
    };
    #client: OAuthClientInformationMixed | undefined;
    #tokens: OAuthTokens | undefined;
    #verifier = '';
    clientInformation() {
      return this.#client;
    }
    saveClientInformation(client: OAuthClientInformationMixed): void {
      this.#client = client;
    }
    tokens() {
      return this.#tokens;
    }
    saveTokens(tokens: OAuthTokens): void {
      this.#tokens = tokens;
    }
    redirectToAuthorization(url: URL): void {
      visited.push(url);
    }
    saveCodeVerifier(verifier: string): void {
      this.#verifier = verifier;
    }
    codeVerifier(): string {
      return this.#verifier;
    }
  }
  return { provider: new Provider(), visited };
}

async function signedIn(serverUrl: string) {
  const { provider, visited } = personOf();
  expect(await auth(provider, { serverUrl })).toBe('REDIRECT');
  const { searchParams } = await browse(visited[0] ?? '');
  const authorizationCode = searchParams.get('code') ?? '';
  await auth(provider, { serverUrl, authorizationCode, iss: searchParams.get('iss') ?? '' });
  return {
    provider,
    /** The access token is not accepted any more. */
    spoil(): void {
      const tokens = provider.tokens();
      if (tokens !== undefined) provider.saveTokens({ ...tokens, access_token: 'a.b.c' });
    },
  };
}
