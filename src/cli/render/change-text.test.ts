import { describe, expect, test } from 'vitest';
import type { FileChange, SkillChange } from '../../host/approve/skill-change.ts';
import { changeSummaryText, fileDiffsText } from './change-text.ts';
import { createColors } from './color.ts';

const plain = createColors(false);

function change(over: Partial<SkillChange>): SkillChange {
  const none = { added: [], removed: [] };
  const lists = { allowedTools: none, executionFields: none, nested: none };
  return { added: [], removed: [], changed: [], frontmatter: [], newHosts: [], summary: [], ...lists, ...over };
}

function file(over: Partial<FileChange>): FileChange {
  const uri = 'skill://a/b.md';
  return { uri, path: 'b.md', script: false, executable: false, textKnown: true, ...over };
}

describe('fileDiffsText()', () => {
  test('writes a unified diff with a header for each hunk', () => {
    const lines = [
      { kind: ' ', text: 'one', beforeLine: 1, afterLine: 1 },
      { kind: '-', text: 'two', beforeLine: 2 },
      { kind: '+', text: 'zwei', afterLine: 2 },
      { kind: '+', text: 'drei', afterLine: 3 },
      { kind: ' ', text: 'nine', beforeLine: 9, afterLine: 10 },
      { kind: '-', text: 'ten', beforeLine: 10 },
    ] as const;
    expect(fileDiffsText(change({ changed: [file({ diff: { lines, truncated: true } })] }), plain)).toBe(
      [
        '--- approved/b.md',
        '+++ current/b.md',
        '@@ -1,2 +1,3 @@',
        ' one',
        '-two',
        '+zwei',
        '+drei',
        '@@ -9,2 +10,1 @@',
        ' nine',
        '-ten',
        '(more differences not shown)',
        '',
      ].join('\n'),
    );
  });

  test('names both sides of added and removed files, and explains missing text', () => {
    const text = fileDiffsText(
      change({
        added: [
          file({ path: 'new\x1b.sh', textKnown: false, sizeAfter: 2048, executable: true, executableChanged: true }),
        ],
        removed: [file({ path: 'old.png', sizeBefore: 5 })],
        changed: [file({ sizeBefore: 1, sizeAfter: 2, textKnown: false })],
      }),
      plain,
    );
    expect(text).toBe(
      [
        '--- /dev/null',
        '+++ current/new\\u{1b}.sh',
        '(now executable; 2 KiB; text unknown; use --fetch to read the current files)',
        '--- approved/old.png',
        '+++ /dev/null',
        '(5 B; not text)',
        '--- approved/b.md',
        '+++ current/b.md',
        '(1 B before, 2 B now; text unknown; use --fetch to read the current files)',
        '',
      ].join('\n'),
    );
  });
});

describe('changeSummaryText()', () => {
  test('writes one escaped line for each sentence', () => {
    expect(changeSummaryText(change({ summary: ['a new script', 'b\x07'] }), plain)).toBe(
      '  ! a new script\n  ! b\\u{7}\n',
    );
  });
});
