import { expect, test } from 'vitest';
import { archiveFormatOfType, archiveUri, splitArchivePath } from './archive-uri.ts';

test('archiveUri() appends the suffix to the folder of the skill', () => {
  expect(archiveUri('skill://acme/refunds/SKILL.md', 'tar.gz')).toBe('skill://acme/refunds.tar.gz');
  expect(archiveUri('github://o/r/x/SKILL.md', 'zip')).toBe('github://o/r/x.zip');
});

test('archiveFormatOfType() knows the media types of real servers', () => {
  expect(['application/gzip', 'Application/X-GZIP; q=1', 'application/x-tar+gzip'].map(archiveFormatOfType)).toEqual(
    Array(3).fill('tar.gz'),
  );
  expect(archiveFormatOfType('application/zip')).toBe('zip');
  expect(archiveFormatOfType('application/json')).toBeUndefined();
});

test('splitArchivePath() removes the suffix', () => {
  expect(splitArchivePath('a/b.tar.gz')).toEqual({ stem: 'a/b', format: 'tar.gz' });
  expect(splitArchivePath('a.tgz')).toEqual({ stem: 'a', format: 'tar.gz' });
  expect(splitArchivePath('.zip')).toBeUndefined();
  expect(splitArchivePath('a.tar')).toBeUndefined();
});
