/** The built command with its page, a browser that opens it, and the browser's requests, errors and pictures. */
import { mkdirSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type ServedFolder, startServing } from '../served-folder.ts';
import { openChromium, patienceMs } from './chromium.ts';

const artifacts = join(import.meta.dirname, '../../artifacts/browser');

export interface ServedPage extends ServedFolder {
  /** The newest link that signs a browser in. */
  link(): string;
}

export async function servePageOf(
  files: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<ServedPage> {
  return withLink(await startServing(files, ['./skills', ...flags]));
}

/** Once there is a link. */
export async function withLink(served: ServedFolder): Promise<ServedPage> {
  const { server } = served;
  await server.seen('stderr', /sign-in/);
  return { ...served, link: () => [...server.stderr().matchAll(/http\S+#\/sign-in\/\S+/g)].at(-1)?.[0] ?? '' };
}

export interface Visit {
  readonly page: Page;
  /** Requested addresses. */
  readonly requests: readonly string[];
  /** Errors of scripts and of the console, dialogs, and pages that were opened. */
  readonly faults: readonly string[];
  /** Saves a picture of the page. */
  picture(name: string): Promise<void>;
  /** Saves a picture at the end of the current test, so that every test has one. */
  keep(): Promise<void>;
  close(): Promise<void>;
}

let browser: Promise<Browser> | undefined;

export async function visit(options: BrowserContextOptions = {}): Promise<Visit> {
  browser ??= openChromium();
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 860 }, ...options });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const requests: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  page.on('dialog', async (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  context.on('page', () => faults.push('another page was opened'));
  faults.length = 0;
  async function picture(name: string): Promise<void> {
    mkdirSync(artifacts, { recursive: true });
    await page.screenshot({ path: join(artifacts, `${name}.png`) });
  }
  return {
    page,
    requests,
    faults,
    picture,
    keep: () => picture(`end-of-${slug(expect.getState().currentTestName ?? 'test')}`),
    close: () => context.close(),
  };
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 120);
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/** A proxy that shows the server below a prefix. */
export async function serveBelow(
  prefix: string,
  url: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { hostname, port } = new URL(url);
  const server = createServer((message, response) => {
    const path = message.url ?? '/';
    if (!path.startsWith(prefix)) return response.writeHead(404).end();
    const { method } = message;
    const forwarded = httpRequest(
      { hostname, port, method, path: path.slice(prefix.length - 1), headers: message.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    return message.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
