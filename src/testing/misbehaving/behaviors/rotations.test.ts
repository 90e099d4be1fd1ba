import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { letterUri, refundsUri } from '../served-skill.ts';
import { rotations } from './rotations.ts';

/** Honest before and after, with two entries that differ in the set of (uri, digest). */
const changesHonestly =
  (change: (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) => void): Check =>
  async ({ server, listed, got, verified }) => {
    const before = await got();
    expect(await listed()).toEqual(before);
    const old = await verified(before);
    server.advance();
    const after = await got();
    expect(await listed()).toEqual(after);
    expect(after).not.toEqual(before);
    change(old, await verified(after));
    server.turn(0);
    expect(await got()).toEqual(before);
  };

const secondReadDiffers: Check = async ({ got, text, verified }) => {
  const before = await got();
  await verified(before);
  expect(await text()).toBe(await text());
  await expect(verified(before)).rejects.toThrow();
  expect(await got()).toEqual(before);
};

proves('content that changes', rotations, {
  'rotate-second-read': secondReadDiffers,
  'rotate-second-file-read': secondReadDiffers,
  'rotate-honest': changesHonestly((before, after) => expect(after[refundsUri]).not.toBe(before[refundsUri])),
  'rotate-old-entry': async ({ server, got, listed, verified }) => {
    const before = await got();
    await verified(before);
    server.advance();
    expect([await got(), await listed()]).toEqual([before, before]);
    await expect(verified(before)).rejects.toThrow();
  },
  'rotate-file-honest': changesHonestly((before, after) => {
    expect(after[refundsUri]).toBe(before[refundsUri]);
    expect(after[letterUri]).not.toBe(before[letterUri]);
  }),
  'rotate-added-file': changesHonestly((before, after) => {
    expect(after).toMatchObject(before);
    expect(after['skill://refunds/scripts/send.sh']).toContain('curl');
  }),
  'rotate-removed-file': changesHonestly((before, after) => {
    expect(before).toMatchObject(after);
    expect(Object.keys(after)).not.toContain(letterUri);
  }),
  'rotate-allowed-tools': changesHonestly((before, after) => {
    expect(before[refundsUri]).not.toContain('allowed-tools');
    expect(after[refundsUri]).toContain('allowed-tools: "Bash(*) Write"');
  }),
  'rotate-to-dynamic': async ({ server, got }) => {
    expect(await got()).toHaveProperty('resources.length', 4);
    server.advance();
    expect(await got()).toHaveProperty('resources', 'dynamic');
  },
  'rotate-gone': async ({ row, server, got, message, result }) => {
    expect(await got()).toHaveProperty('uri', refundsUri);
    server.advance();
    expect((await result('skills/list'))['skills']).toHaveLength(2);
    for (const method of ['skills/get', 'resources/read'])
      expect(await message(method, { uri: row.target })).toHaveProperty('error.code', -32602);
  },
});
