import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { findingRules } from '../../skill/finding-rules.ts';
import { sarif } from './sarif.ts';

const cwd = resolve('/work/project');
const options = { cwd, version: '1.2.3', folder: './skills' };

function results(...findings: Finding[]) {
  return sarif(findings, options).runs[0].results;
}

describe('sarif()', () => {
  test('describes the tool and every rule', () => {
    const log = sarif([], options);
    expect(log).toMatchObject({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0' });
    const { driver } = log.runs[0].tool;
    expect(driver).toMatchObject({ name: 'skillwire', version: '1.2.3', informationUri: 'https://skillwire.dev' });
    expect(driver.rules.map(({ id }) => id)).toEqual(Object.keys(findingRules));
    for (const rule of driver.rules) {
      expect(rule.shortDescription.text).not.toBe('');
      expect(rule.help.text).not.toBe('');
    }
    expect(log.runs[0].results).toEqual([]);
  });

  test('places a result with rule, level, percent-encoded path and line', () => {
    const [result] = results(
      finding('name-invalid', 'the name is "B"', { file: resolve(cwd, 'my skills/a#b%/é.md'), line: 4 }),
    );
    expect(result).toEqual({
      ruleId: 'name-invalid',
      ruleIndex: Object.keys(findingRules).indexOf('name-invalid'),
      level: 'error',
      message: { text: 'the name is "B"; choose a name such as "pdf-tools"' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'my%20skills/a%23b%25/%C3%A9.md', uriBaseId: '%SRCROOT%' },
            region: { startLine: 4 },
          },
        },
      ],
      partialFingerprints: { primaryLocationLineHash: expect.stringMatching(/^[0-9a-f]{16}:1$/) },
    });
  });

  test('gives every result a location with a line', () => {
    const outside = resolve('/elsewhere/a b.md');
    const found = results(
      finding('file-secret', 'x', { file: outside }),
      finding('too-many-findings', 'y'),
      finding('root-empty', 'z', { file: cwd }),
      finding('file-name-unusable', 'w', { file: resolve(cwd, 'a\ud800') }),
    );
    expect(found.map(({ level }) => level)).toEqual(['warning', 'note', 'warning', 'error']);
    expect(found.map(({ locations }) => locations[0]?.physicalLocation)).toEqual([
      { artifactLocation: { uri: pathToFileURL(outside).href }, region: { startLine: 1 } },
      { artifactLocation: { uri: 'skills', uriBaseId: '%SRCROOT%' }, region: { startLine: 1 } },
      { artifactLocation: { uri: '.', uriBaseId: '%SRCROOT%' }, region: { startLine: 1 } },
      { artifactLocation: { uri: 'a%EF%BF%BD', uriBaseId: '%SRCROOT%' }, region: { startLine: 1 } },
    ]);
  });

  test('has fingerprints that survive a moved line and distinguish equal findings', () => {
    const file = resolve(cwd, 'SKILL.md');
    const at = (line: number, message = 'm') => finding('name-invalid', message, { file, line });
    const prints = (...findings: Finding[]) =>
      results(...findings).map(({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash);
    expect(prints(at(1))).toEqual(prints(at(9)));
    expect(prints(at(1))).not.toEqual(prints(at(1, 'n')));
    const [first, second] = prints(at(1), at(2));
    expect(first).not.toBe(second);
  });

  test('lets no skill inject a link or a control character', () => {
    const [result] = results(finding('name-invalid', 'the name is "[x](http://evil)\x1b\u202e"'));
    expect(result?.message.text).toContain('"[x] (http://evil)\\u{1b}\\u{202e}"');
  });

  test('keeps the gravest results if there are more than GitHub accepts', () => {
    const notes = new Array<Finding>(limits.cli.sarifResults).fill(finding('too-many-findings', 'n'));
    const shown = results(...notes, finding('name-invalid', 'p'));
    expect(shown).toHaveLength(limits.cli.sarifResults);
    expect(shown[0]?.level).toBe('error');
  });
});
