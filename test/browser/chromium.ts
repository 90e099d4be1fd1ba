/** Chromium of this machine, driven by playwright-core, and a small web server for the example page. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const project = join(import.meta.dirname, '../..');
const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** How long a page may take to show something: only a test that hangs waits so long. */
export const patienceMs = 120_000;

export async function openChromium(): Promise<Browser> {
  const executablePath = [process.env.CHROMIUM, ...usual].find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined) throw new Error('There is no Chromium. Run `node scripts/ensure-chromium.mjs`.');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

export interface PageServer {
  /** Scheme, host and port. */
  readonly origin: string;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves the page beside a `node_modules` in which this package is. */
export async function servePage(file: string): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname === '/' ? file : pathname.replace(/^\/node_modules\/skillwire\//, `${project}/`);
    if (!existsSync(path) || path === pathname) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' }).end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
