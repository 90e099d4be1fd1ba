import { expect } from 'vitest';
import { type Check, digestOf, proves } from '../../../../test/misbehavior-proof.ts';
import { refundsUri } from '../served-skill.ts';
import { contents } from './contents.ts';

const items =
  (compare: (given: unknown) => void): Check =>
  async ({ row, result }) =>
    compare((await result('resources/read', { uri: row.at ?? row.target }))['contents']);

/** The base64 that arrives, and whether Node's lenient decoder finds the promised bytes in it. */
const blob =
  (pattern: RegExp, decodes: boolean): Check =>
  async ({ row, got, read }) => {
    const base64 = String((await read())['blob']);
    expect(base64).toMatch(pattern);
    const listed = Object(await got()).resources.find((resource: { uri: string }) => resource.uri === row.at);
    expect(digestOf(Buffer.from(base64, 'base64')) === listed.digest).toBe(decodes);
  };

proves('reads that are not one file', contents, {
  'contents-empty': items((given) => expect(given).toEqual([])),
  'contents-two': items((given) =>
    expect(given).toMatchObject([{ uri: refundsUri }, { uri: 'skill://refunds/extra.md' }]),
  ),
  'contents-two-equal': items((given) =>
    expect(given).toMatchObject([{ uri: refundsUri, text: 'Pay.' }, { uri: refundsUri }]),
  ),
  'contents-other-uri': async ({ read, got }) => {
    const { uri, text } = await read();
    expect(uri).toBe('skill://payouts/SKILL.md');
    expect(await got()).toHaveProperty('resources.0.digest', digestOf(String(text)));
  },
  'contents-no-uri': async ({ read }) => expect(Object.keys(await read())).toEqual(['mimeType', 'text']),
  'contents-text-and-blob': async ({ read, got }) => {
    const { text, blob: other } = await read();
    expect(await got()).toHaveProperty('resources.0.digest', digestOf(String(text)));
    expect(Buffer.from(String(other), 'base64').toString()).toBe('Pay.');
  },
  'contents-neither': async ({ read }) => expect(Object.keys(await read())).toEqual(['uri', 'mimeType']),
  'contents-text-number': async ({ read }) => expect(await read()).toHaveProperty('text', 42),
  'contents-object': items((given) => expect(given).toMatchObject({ 0: { uri: refundsUri }, length: 1 })),
  'blob-bad-alphabet': blob(/\*!/, true),
  'blob-white-space': blob(/\r\n /, true),
  'blob-url-alphabet': blob(/^[\w=-]*_[\w=-]*$/, true),
  'blob-after-padding': blob(/=AAAA$/, true),
  'blob-oversize': async ({ row, got, call }) => {
    expect(JSON.stringify(await got())).toContain('"size":7}');
    const whole = await call('resources/read', { uri: row.at }, { bytes: 64 << 20 });
    expect(whole.end).toBe('whole');
    expect(whole.body.length).toBeGreaterThan(40_000_000);
    expect(whole.body.subarray(-200).toString()).toContain('AAAA"}]');
  },
  'blob-for-text': async ({ read, verified }) => {
    expect(Object.keys(await read())).toEqual(['uri', 'mimeType', 'blob']);
    await verified();
  },
  'text-for-binary': async ({ read, verified }) => {
    expect((await read())['text']).toContain('\ufffd');
    await expect(verified()).rejects.toThrow();
  },
});
