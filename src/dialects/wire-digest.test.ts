import { describe, expect, test } from 'vitest';
import { f1 } from '../../test/dialect-fixtures.ts';
import { readDigest } from './wire-digest.ts';

describe('readDigest()', () => {
  test('reads the usual spelling, and marks upper-case digits', () => {
    expect(readDigest('digest', f1.digest)).toEqual({ kind: 'digest', digest: f1.digest, unusual: false });
    expect(readDigest('digest', f1.digest.toUpperCase())).toEqual({ kind: 'digest', digest: f1.digest, unusual: true });
    expect(readDigest('digest', undefined)).toEqual({ kind: 'absent' });
  });

  test.each<unknown>([null, '', 'sha256:', f1.digest.slice(7), `${f1.digest} `, 'md5:0', 5, {}])(
    'never reads %j as a missing digest',
    (value) => {
      expect(readDigest('x.digest', value)).toEqual({
        kind: 'fault',
        message: expect.stringMatching(/^x\.digest .*is not "sha256:"/),
      });
    },
  );
});
