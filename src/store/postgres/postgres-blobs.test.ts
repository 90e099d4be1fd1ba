import { expect, test } from 'vitest';
import { sha256Digest } from '../../skill/digest.ts';
import { postgresBlobs } from './postgres-blobs.ts';
import type { Query } from './postgres-query.ts';

test.each([
  ['damaged on the way', 0, 'STORE_AWAY'],
  ['damaged in the database', 1, undefined],
])('bytes that were %s', async (_, rowCount, code) => {
  const digest = await sha256Digest(new TextEncoder().encode('right'));
  const statements: string[] = [];
  const damaged: string[] = [];
  const query = async (text: string) => {
    statements.push(text);
    return { rows: [{ text: btoa('wrong') }], rowCount };
  };
  const blobs = postgresBlobs(query as unknown as Query, 's', (one) => damaged.push(one));
  const answer = blobs.get(digest);
  if (code === undefined) expect(await answer).toBeUndefined();
  else await expect(answer).rejects.toMatchObject({ code });
  expect(damaged).toEqual(code === undefined ? [digest] : []);
  // The server removes a row only if it finds the damage itself.
  expect(statements[1]).toContain('sha256(bytes) <>');
});
