import { expect } from 'vitest';
import { type Check, digestOf, proves } from '../../../../test/misbehavior-proof.ts';
import { letterUri, refundsUri } from '../served-skill.ts';
import { byteLies } from './byte-lies.ts';

interface Claim {
  readonly size: number;
  readonly digest: string;
}

/** Compares what the listing and `skills/get` promise about one file with what a read returns. */
const promised =
  (compare: (claimed: Claim, real: Claim, bytes: Buffer) => void, uri = refundsUri): Check =>
  async ({ listed, got, text }) => {
    const entry = await listed();
    expect(await got()).toEqual(entry);
    const claimed = Object(entry).resources.find((resource: { uri: string }) => resource.uri === uri);
    const bytes = Buffer.from(await text(uri));
    compare(claimed, { size: bytes.length, digest: digestOf(bytes) }, bytes);
  };

const otherBytes = (check: (bytes: Buffer) => void): Check =>
  promised((claimed, real, bytes) => {
    expect(real.digest).not.toBe(claimed.digest);
    check(bytes);
  });

proves('bytes that do not hold', byteLies, {
  'size-too-small': promised((claimed, real) => expect(claimed).toMatchObject({ ...real, size: real.size - 1 })),
  'size-too-large': promised((claimed, real) => expect(claimed).toMatchObject({ ...real, size: real.size + 1 })),
  'size-zero': promised((claimed, real) => expect(claimed).toMatchObject({ ...real, size: 0 })),
  'digest-lie': promised((claimed, real) => {
    expect(claimed.size).toBe(real.size);
    expect(claimed.digest).not.toBe(real.digest);
  }),
  'size-and-digest-lie': promised((claimed, real) => {
    expect(claimed.size).not.toBe(real.size);
    expect(claimed.digest).not.toBe(real.digest);
  }),
  'digest-lie-file': promised((claimed, real) => {
    expect(claimed.size).toBe(real.size);
    expect(claimed.digest).not.toBe(real.digest);
  }, letterUri),
  'trailing-byte': promised((claimed, real, bytes) => {
    expect(real.size).toBe(claimed.size + 1);
    expect(digestOf(bytes.subarray(0, -1))).toBe(claimed.digest);
  }),
  'empty-body': otherBytes((bytes) => expect(bytes).toHaveLength(0)),
  'newlines-rewritten': promised((claimed, _, bytes) => {
    expect(digestOf(bytes.toString().replaceAll('\r\n', '\n'))).toBe(claimed.digest);
    expect(bytes.toString()).toContain('\r\n');
  }),
  'byte-order-mark-added': promised((claimed, _, bytes) => {
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(digestOf(bytes.subarray(3))).toBe(claimed.digest);
  }),
  'unlisted-file': async ({ row, got, result, text, verified }) => {
    const entry = await got();
    expect((await verified(entry))[refundsUri]).toContain('scripts/extra.sh');
    expect(JSON.stringify(entry)).not.toContain('extra.sh');
    expect(await text()).toContain('nobody approved');
    const { resources } = await result('resources/directory/read', { uri: 'skill://refunds/scripts' });
    expect(resources).toContainEqual(expect.objectContaining({ uri: row.at }));
  },
  'listed-file-missing': async ({ row, got, message }) => {
    expect(JSON.stringify(await got())).toContain(letterUri);
    expect(await message('resources/read', { uri: row.at })).toHaveProperty('error.code', -32602);
  },
  'list-get-read-differ': async ({ listed, got, text }) => {
    const digests = [await listed(), await got()].map((entry) => Object(entry).resources[0].digest);
    expect(new Set([...digests, digestOf(await text())]).size).toBe(3);
  },
  'get-differs-from-list': async ({ listed, got, text, verified }) => {
    const digest = digestOf(await text());
    expect(await listed()).not.toHaveProperty('resources.0.digest', digest);
    expect(await got()).toHaveProperty('resources.0.digest', digest);
    await verified();
  },
  'read-differs-by-era': async ({ row, text, message }) => {
    const old = await message('resources/read', { uri: row.target }, { era: 'legacy' });
    expect(old).toHaveProperty('result.contents.0.text', expect.stringContaining('# Newer'));
    expect(await text()).not.toContain('# Newer');
  },
});
