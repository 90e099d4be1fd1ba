import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pageAssets, pagePolicy } from './page-assets.ts';

type PageAssets = ReturnType<typeof pageAssets>;

function built(): { readonly folder: string; readonly assets: PageAssets } {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-web-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'web/assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'web/index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'web/assets/index-1.js'), 'run()');
  return { folder, assets: pageAssets(pathToFileURL(join(folder, 'web/'))) };
}

const ask = (assets: PageAssets, path: string, headers: Record<string, string> = {}): Promise<Response | undefined> =>
  assets.answer(new Request('http://localhost/', { headers }), path);

describe('pageAssets()', () => {
  test('serves the page at "/" with its content policy, to be revalidated each time', async () => {
    const answer = await ask(built().assets, '/');
    expect(await answer?.text()).toBe('<!doctype html>');
    expect(answer?.headers.get('content-security-policy')).toBe(pagePolicy);
    expect(answer?.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer?.headers.get('cache-control')).toBe('no-cache');
  });

  test('serves files with a hash in their name as immutable, compressed if the client supports it', async () => {
    const { assets } = built();
    const answer = await ask(assets, '/assets/index-1.js', { 'accept-encoding': 'br, gzip' });
    expect(answer?.headers.get('cache-control')).toContain('immutable');
    expect(answer?.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(new Uint8Array((await answer?.arrayBuffer()) ?? new ArrayBuffer(0))).toString()).toBe('run()');
    const etag = answer?.headers.get('etag') ?? '';
    expect((await ask(assets, '/assets/index-1.js', { 'if-none-match': etag }))?.status).toBe(304);
  });

  test.each([
    '/assets/../../secret.txt',
    '/../secret.txt',
    '/assets/',
    '/assets/none.js',
    '/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
  ])('has nothing at %s', async (path) => {
    expect(await ask(built().assets, path)).toBeUndefined();
  });

  test('has nothing if the page was not built', async () => {
    const assets = pageAssets(pathToFileURL(join(tmpdir(), 'skillwire-no-such-folder/')));
    expect(await ask(assets, '/')).toBeUndefined();
  });

  test('allows only scripts and styles of this origin', () => {
    expect(pagePolicy).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'/,
    );
    expect(pagePolicy).not.toMatch(/unsafe|https?:|\*|data:/);
    expect(pagePolicy).toContain("require-trusted-types-for 'script'");
  });
});
