import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FileStanding } from './file-trust.ts';
import { knownLabels } from './known-labels.ts';
import type { JudgedOrigins } from './named-origin.ts';

let cwd: string;

beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-labels-')));
  for (const name of ['platform/skills', 'elsewhere']) mkdirSync(join(cwd, name), { recursive: true });
  symlinkSync(join(cwd, 'elsewhere'), join(cwd, 'platform', 'out'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function isAfterPath(folder: string, standing: FileStanding | 'users'): boolean | undefined {
  const origins = [folder.startsWith('https:') ? { label: 'platform', site: folder } : { label: 'platform', folder }];
  const judged = standing === 'users' ? 'own' : { standing: () => standing };
  const found = { file: join(cwd, 'skillwire.json'), configuration: { origins }, judged } as unknown as JudgedOrigins;
  return knownLabels({ cwd, found, added: [{ label: 'mine' }] }).isAfterPath?.('platform');
}

test('a trusted label wins over a folder of its name', () => {
  for (const standing of ['users', 'own'] as const)
    for (const folder of ['./elsewhere', 'https://example.com']) expect(isAfterPath(folder, standing)).toBe(false);
});

test('an untrusted label loses to the folder, unless it leads into that folder', () => {
  for (const standing of ['guarded', 'untrusted'] as const) {
    for (const folder of ['./platform', './platform/skills', 'platform'])
      expect(isAfterPath(folder, standing)).toBe(false);
    for (const folder of [
      './elsewhere',
      '.',
      '../platform',
      './platform/out',
      './platform/missing',
      'https://example.com',
    ])
      expect(isAfterPath(folder, standing), folder).toBe(true);
  }
});

test('an added origin wins over a folder of its name', () => {
  const { labels, isAfterPath: isAfter } = knownLabels({ cwd, found: undefined, added: [{ label: 'mine' }] });
  expect([labels, isAfter?.('mine')]).toEqual([['mine'], false]);
});
