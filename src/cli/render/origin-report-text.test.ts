import { describe, expect, test } from 'vitest';
import type { OriginReport, OriginState } from '../../host/host.ts';
import { finding } from '../../skill/finding.ts';
import { createColors } from './color.ts';
import { originReportText } from './origin-report-text.ts';

const options = { cwd: '/work', colors: createColors(false), shown: (label: string) => `<${label}>` };

function text(over: Partial<OriginReport>): string {
  const base = { label: 'x', local: false, name: 'x', state: 'ready', message: '', skills: 0 } as const;
  return originReportText({ ...base, refused: [], findings: [], ...over }, options);
}

describe('originReportText()', () => {
  test('is silent about an origin without failures', () => {
    expect(text({})).toBe('');
  });

  test('has a different message for each kind of failed listing', () => {
    const states: readonly OriginState[] = [
      'empty',
      'all-refused',
      'partial',
      'no-skills-extension',
      'not-authorized',
      'unreachable',
      'failed',
      'disabled',
    ];
    const texts = states.map((state) => text({ state }));
    expect(new Set(texts).size).toBe(states.length);
    expect(text({ state: 'unreachable', message: 'no route\x1b' })).toBe('<x>: unreachable: no route\\u{1b}\n');
    expect(text({ state: 'empty', message: 'no skills listed' })).toBe('<x>: no skills listed\n');
    expect(text({ state: 'empty', message: 'gone' })).toBe('<x>: no skills: gone\n');
    expect(text({ state: 'empty' })).toBe('<x>: no skills\n');
    expect(text({ state: 'all-refused', message: 'no usable entries' })).toBe('<x>: no usable entries\n');
  });

  test('lists the first refused entries with their reasons, and their number', () => {
    const refused = Array.from({ length: 7 }, (_, index) => ({
      uri: `skill://s${index}\n`,
      faults: ['no "name"', 'b'],
    }));
    const lines = text({ refused }).split('\n');
    expect(lines[0]).toBe('<x>: 7 unusable entries in the listing');
    expect(lines[1]).toBe('  skill://s0\\n: no "name"; b');
    expect(lines[6]).toBe('  and 2 more; use --json to list all');
    expect(text({ refused: [{ faults: ['x'] }] })).toContain('an entry without a URI');
  });

  test('lists findings with their counts', () => {
    const findings = [finding('skill-md-hidden-characters', 'a\x1b', { skill: 'skill://a/SKILL.md' })];
    expect(text({ findings })).toContain('a\\u{1b}');
    expect(text({ findings })).toContain('<x>: 0 problems, 1 warning, 0 notes');
  });
});
