/** Identifies the holder of a lock, and checks whether that process is alive. */
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { decodeHolder, encodeHolder, holderState, newHolder } from './lock-holder.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the owner of a lock', () => {
  const own = newHolder();
  const text = (more: object) => bytes(JSON.stringify({ ...own, ...more }));
  test('is read as written, and is alive', () => {
    expect(decodeHolder(encodeHolder(own))).toEqual(own);
    expect(own).toMatchObject({
      pid: process.pid,
      hostName: hostname(),
      token: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
    expect(newHolder().token).not.toBe(own.token);
    expect(['alive', 'unknown']).toContain(holderState(own));
    if (process.platform === 'linux') expect(holderState(own)).toBe('alive');
  });

  test.each<readonly [string, Uint8Array]>([
    ['no JSON', bytes('{')],
    ['nothing', bytes('')],
    ['null', bytes('null')],
    ['without a token', text({ token: 7 })],
    ['with a bad token', text({ token: 'x' })],
    ['without a process', text({ pid: '1' })],
    ['with half a process', text({ pid: 1.5 })],
    ['with process 0', text({ pid: 0 })],
    ['without a host', text({ host: 7 })],
    ['without a name of the host', text({ hostName: 7 })],
  ])('is unknown if the record is %s', (_, given) => {
    const nobody = decodeHolder(given);
    expect(nobody).toEqual({ token: expect.stringMatching(/^[0-9a-f]{24}$/), pid: 0, host: '', hostName: 'unknown' });
    expect(decodeHolder(given).token).toBe(nobody.token);
    expect(decodeHolder(bytes('other')).token).not.toBe(nobody.token);
    expect(holderState(nobody)).toBe('unknown');
  });

  test('without a start time may be alive; a start time that is not text is ignored', () => {
    const { started: _, ...rest } = own;
    expect(decodeHolder(text({ started: 7 }))).toEqual(rest);
    expect(holderState(rest)).toBe('unknown');
  });

  test('on another machine may be alive; one whose process is gone is dead', () => {
    expect(holderState({ ...own, host: 'elsewhere' })).toBe('unknown');
    expect(holderState({ ...own, pid: 2 ** 22 + 1 })).toBe('dead');
    if (process.platform === 'linux') expect(holderState({ ...own, started: '1' })).toBe('dead');
  });
});
