/** Identifies the holder of a lock, and checks whether that process is alive. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
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

  test.runIf(process.platform === 'linux')('is dead if it ended, even if its parent never waits for it', async () => {
    // `sleep` takes the place of the shell, and knows nothing of the shell's child.
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    const fields = (): readonly string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    await eventually(() => expect(fields()[0]).toBe('Z'));
    const started = fields()[19] ?? '';
    expect(started).toMatch(/^\d+$/);
    expect(holderState({ ...own, pid, started })).toBe('dead');
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
