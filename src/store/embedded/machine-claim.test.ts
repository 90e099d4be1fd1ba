import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SkillwireError } from '../../errors.ts';
import { claimFolder, type MachineClaim } from './machine-claim.ts';

let folder: string;
const claims: MachineClaim[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillwire-claim-'));
});

afterEach(async () => {
  for (const claim of claims.splice(0)) await claim.release();
  await rm(folder, { recursive: true, force: true });
});

async function claim(machine: string, lost: SkillwireError[] = [], renewMs = 20): Promise<MachineClaim> {
  const made = await claimFolder(folder, { machine, renewMs, onLost: (error) => lost.push(error) });
  claims.push(made);
  return made;
}

const claimed = (): Promise<string> => readFile(join(folder, 'machine.json'), 'utf8');

test('several servers of one machine share a folder', async () => {
  await claim('one');
  await claim('one');
});

test('a machine that renews its claim keeps others out, with its name and the remedy', async () => {
  await claim('one');
  // Ten times slower, so that a busy machine renews between two checks.
  await expect(claim('two', [], 200)).rejects.toMatchObject({
    code: 'STATE_LOCKED',
    message: expect.stringMatching(/A server on the machine ".+" uses the state folder .+--state/),
  });
});

test('a claim that is being written is not free', async () => {
  const path = join(folder, 'machine.json');
  await writeFile(path, '');
  const second = claim('two', [], 200);
  second.catch(() => undefined);
  // The second machine has read the empty file by now, or reads the claim; both must keep it out.
  await new Promise((resolve) => setTimeout(resolve, 50));
  let renewed = 0;
  const renewing = setInterval(() => {
    writeFileSync(path, `{"machine":"one","hostName":"pod-a","renewed":${renewed++}}\n`);
  }, 5);
  try {
    await expect(second).rejects.toMatchObject({ code: 'STATE_LOCKED' });
  } finally {
    clearInterval(renewing);
  }
});

test('an expired claim is taken over', async () => {
  await writeFile(join(folder, 'machine.json'), '{"machine":"dead","hostName":"pod-b","renewed":7}\n');
  await claim('two');
  expect(await claimed()).toContain('"machine":"two"');
});

test('a released folder is free at once, without a file', async () => {
  await (await claim('one')).release();
  expect(await readdir(folder)).toEqual([]);
  await claim('two');
});

test('a machine that was suspended learns that it lost the folder, and keeps the claim of the other', async () => {
  const lost: SkillwireError[] = [];
  const suspended = await claim('one', lost);
  await writeFile(join(folder, 'machine.json'), '{"machine":"two","hostName":"pod-b","renewed":0}\n');
  await expect.poll(() => lost.map(({ code }) => code)).toEqual(['STATE_LOCKED']);
  await suspended.release();
  expect(await claimed()).toContain('"machine":"two"');
});

test.each(['', '{', '[]', '{"machine":1}', 'null'])('a damaged claim (%s) is replaced', async (text) => {
  await writeFile(join(folder, 'machine.json'), text);
  await claim('one');
  expect(await claimed()).toContain('"machine":"one"');
});
