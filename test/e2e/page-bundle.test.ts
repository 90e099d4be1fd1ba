/** The built page as it is shipped: small, complete, without anything inline or from elsewhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../dist/web');
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name));

test('the page has at most 50 kB, compressed, and the client of live programs 13', () => {
  const size = (parts: readonly string[]): number =>
    parts.reduce((total, file) => total + gzipSync(readFileSync(file), { level: 9 }).length, 0);
  const isClient = (file: string): boolean => file.endsWith('runtime.js');
  const page = files.filter((file) => !isClient(file));
  expect(page.length).toBeGreaterThan(2);
  expect(size(page)).toBeLessThanOrEqual(50_000);
  // The page does not load it; pages of others do.
  expect(size(files.filter(isClient))).toBeLessThanOrEqual(13_000);
});

test('the document has no inline script or style and loads nothing from elsewhere', () => {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
  const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address ?? '');
  expect(addresses.filter((address) => !address.startsWith('./'))).toEqual([]);
});

test('the scripts load nothing from elsewhere and evaluate no text', () => {
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(/\beval\(|new Function\(|document\.write\(/);
    const hosts = [...text.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host ?? '');
    // Names of formats, and the placeholder of an address; none of them is ever asked for.
    expect(hosts.filter((host) => !['www.w3.org', 'skillwire.invalid'].includes(host))).toEqual([]);
  }
  for (const file of files.filter((name) => name.endsWith('.css')))
    expect(readFileSync(file, 'utf8')).not.toMatch(/url\(|@import/);
});
