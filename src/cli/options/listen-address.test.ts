import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { parseListenAddress } from './listen-address.ts';

describe('parseListenAddress()', () => {
  test.each([
    ['8080', '127.0.0.1', 8080],
    ['0', '127.0.0.1', 0],
    ['65535', '127.0.0.1', 65_535],
    ['0.0.0.0:80', '0.0.0.0', 80],
    ['localhost:0', 'localhost', 0],
    ['[::1]:80', '::1', 80],
    ['[::]:80', '::', 80],
    ['my-host.example:443', 'my-host.example', 443],
  ])('reads %s', (text, host, port) => {
    expect(parseListenAddress(text)).toEqual({ host, port });
  });

  test.each([
    ['', 'Use PORT or HOST:PORT'],
    ['65536', 'from 0 to 65535'],
    ['-1', 'Use PORT or HOST:PORT'],
    ['80a', 'Use PORT or HOST:PORT'],
    ['localhost', 'Use PORT or HOST:PORT'],
    ['localhost:', 'Use PORT or HOST:PORT'],
    ['a/b:80', 'Use PORT or HOST:PORT'],
    ['user@host:80', 'Use PORT or HOST:PORT'],
    ['[nonsense]:80', 'Use PORT or HOST:PORT'],
    [':80', 'Use 80 for loopback, or 0.0.0.0:80 for all interfaces'],
    ['::1:80', 'in brackets'],
    ['::1', 'in brackets'],
    ['http://127.0.0.1:80', 'without the scheme'],
  ])('refuses %j with a remedy', (text, remedy) => {
    expect(() => parseListenAddress(text)).toThrow(SkillwireError);
    expect(() => parseListenAddress(text)).toThrow(remedy);
  });
});
