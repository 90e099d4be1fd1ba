/** A server of skills behind the login of a company: a real gateway with `access.oidc`, and a real authorization server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseConfiguration } from '../src/gateway/configuration.ts';
import { serveConfiguration } from '../src/node/serve-configuration.ts';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from './authorization-server.ts';
import { freePort } from './e2e/free-port.ts';

/** For the variable BROWSER. */
export const standInBrowser = fileURLToPath(new URL('./browser-stand-in.mjs', import.meta.url));

export interface ProtectedServer {
  readonly url: string;
  readonly issuer: AuthorizationServer;
  close(): Promise<void>;
}

export async function startProtectedServer(
  options: Partial<AuthorizationServerOptions> = {},
  oidc: object = {},
  host = '127.0.0.1',
): Promise<ProtectedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-protected-'));
  mkdirSync(join(folder, 'docs/refunds'), { recursive: true });
  writeFileSync(
    join(folder, 'docs/refunds/SKILL.md'),
    '---\nname: refunds\ndescription: How to refund an order.\n---\n\n# Refunds\n',
  );
  const port = await freePort();
  const url = `http://${host}:${port}/mcp`;
  const issuer = await startAuthorizationServer({
    resources: () => [url],
    groups: { ada: ['readers'] },
    login: 'ada',
    ...options,
  });
  const configuration = {
    origins: { docs: './docs' },
    profiles: { everything: {} },
    access: {
      url: `http://${host}:${port}`,
      oidc: {
        issuer: issuer.issuer,
        audience: url,
        scopes: ['skills'],
        claims: [{ match: { groups: 'readers' }, profile: 'everything' }],
        ...oidc,
      },
    },
  };
  const handle = await serveConfiguration(parseConfiguration(JSON.stringify(configuration), 'skillwire.json'), {
    http: { host: '127.0.0.1', port },
    base: folder,
    env: { SKILLWIRE_HOME: join(folder, 'home') },
  });
  return {
    url,
    issuer,
    async close() {
      await handle.close();
      await issuer.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
