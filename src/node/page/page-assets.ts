/**
 * The built page: files of `dist/web`, read on their first request, then cached together with their gzip form. Names are looked up in the
 * listing of the folder, so a request path is never joined to a disk path. Without a built page there are no assets.
 */

import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type LoadOnce, loadOnce } from '../../async/load-once.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { assetsPath, rootPath, runtimeClientPath } from '../../surfaces/routes.ts';
import { namesTag } from '../../surfaces/well-known-http/content-headers.ts';

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly packed: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Allows only scripts and styles of this server; skill texts can become neither (sec:V-7). */
export const pagePolicy: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
].join('; ');

const common = {
  'content-security-policy': pagePolicy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'Accept-Encoding',
};

const pack = promisify(gzip);

/** @param folder the folder of the built page */
export function pageAssets(folder: URL) {
  const read = new Map<string, LoadOnce<Asset>>();

  const names = loadOnce(async (): Promise<ReadonlyMap<string, URL>> => {
    const found = new Map<string, URL>();
    for (const [below, route] of [
      ['./', rootPath],
      ['./assets/', assetsPath],
    ] as const) {
      const listed = await readdir(new URL(below, folder), { withFileTypes: true }).catch(noFolder);
      for (const entry of listed)
        if (entry.isFile()) found.set(`${route}${entry.name}`, new URL(`${below}${entry.name}`, folder));
    }
    return found;
  });

  async function load(path: string, file: URL): Promise<Asset> {
    const bytes = new Uint8Array(await readFile(file));
    const type = types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    // Names below /assets/ contain a hash of the content.
    const cache = path.startsWith(assetsPath) ? 'public, max-age=31536000, immutable' : 'no-cache';
    return {
      bytes,
      packed: new Uint8Array(await pack(bytes, { level: 9 })),
      headers: {
        ...common,
        // Pages of other origins import the client; the guard decides which of them.
        ...(path === runtimeClientPath ? { 'cross-origin-resource-policy': 'cross-origin' } : {}),
        'content-type': type,
        'cache-control': cache,
        etag: `"${(await sha256Digest(bytes)).slice(7, 39)}"`,
      },
    };
  }

  return {
    /** The answer for `/`, `/assets/…`, `/favicon.svg` and `/runtime.js`; `undefined` if there is no such file. */
    async answer(request: Request, path: string): Promise<Response | undefined> {
      const wanted = path === rootPath ? `${rootPath}index.html` : path;
      const file = (await names.get()).get(wanted);
      if (file === undefined) return undefined;
      const known = read.get(wanted) ?? loadOnce(() => load(wanted, file));
      read.set(wanted, known);
      const { bytes, packed, headers } = await known.get();
      if (namesTag(request.headers.get('if-none-match') ?? undefined, headers.etag ?? ''))
        return new Response(null, { status: 304, headers });
      const acceptsGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
      return acceptsGzip
        ? new Response(packed, { headers: { ...headers, 'content-encoding': 'gzip' } })
        : new Response(bytes, { headers });
    },
  };
}

function noFolder(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}
