/** Chromium of this machine, driven by playwright-core, and a small web server for the example page. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** How long a page may take to show something. Only a hanging test waits this long. */
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

/** Serves one page at `/`. `text` makes it, with the address of a hub that is known later. */
export async function servePage(text: () => string): Promise<PageServer> {
  const server = createServer((request, response) => {
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/') return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': 'text/html' }).end(text());
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
