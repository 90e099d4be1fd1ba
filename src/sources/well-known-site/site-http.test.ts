import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { freshnessOf } from './site-http.ts';

const now = Date.parse('2026-11-16T12:00:00Z');
const at = (text: string): string => new Date(text).toUTCString();

describe('freshnessOf()', () => {
  test.each<[Record<string, string>, number]>([
    [{}, 7_000],
    [{ 'cache-control': 'public' }, 7_000],
    [{ 'cache-control': 'max-age=60' }, 60_000],
    [{ 'cache-control': 'Public, Max-Age="60"' }, 60_000],
    [{ 'cache-control': 'max-age=60', age: '45' }, 15_000],
    [{ 'cache-control': 'max-age=60', age: '90' }, 0],
    [{ 'cache-control': 's-maxage=9, max-age=60' }, 60_000],
    [{ 'cache-control': 'max-age=60, max-age=1' }, 60_000],
    [{ 'cache-control': 'max-age=60, no-cache' }, 0],
    [{ 'cache-control': 'no-store, max-age=60' }, 0],
    [{ 'cache-control': 'max-age=-1' }, 7_000],
    [{ 'cache-control': 'max-age=9999999999' }, limits.origin.ttlMs],
    [{ expires: at('2026-11-16T12:01:00Z') }, 60_000],
    [{ expires: at('2026-11-16T12:01:00Z'), date: at('2026-11-16T12:00:30Z') }, 30_000],
    [{ expires: at('2020-01-01T00:00:00Z') }, 0],
    [{ expires: '0' }, 0],
    [{ 'cache-control': 'max-age=60', expires: '0' }, 60_000],
  ])('%j is fresh for %i ms', (headers, ms) => {
    expect(freshnessOf(headers, 7_000, now).ms).toBe(ms);
  });

  test('reports whether an answer may be cached, and whether it is private', () => {
    expect(freshnessOf({ 'cache-control': 'no-store' }, 1)).toMatchObject({ storable: false });
    expect(freshnessOf({ 'cache-control': 'no-cache' }, 1)).toMatchObject({ storable: true, isPrivate: false });
    expect(freshnessOf({ 'cache-control': 'private' }, 1)).toMatchObject({ storable: true, isPrivate: true });
  });
});
