import { describe, expect, test } from 'vitest';
import { gitWorkflowEntry } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { dialectSkillOf, withoutLost } from '../dialect-skill.ts';
import { mentionedUris } from '../mentioned-uris.ts';
import {
  decodeUsageRows,
  encodeUsageInstructions,
  encodeUsageRow,
  nimblebrainLosses,
  usageDescription,
  usageUri,
} from './usage-resource.ts';

const names = (...uris: readonly string[]): string[] =>
  decodeUsageRows(uris.map((uri) => ({ uri }))).skills.map(({ name }) => name);

describe('the usage resource', () => {
  verifies(
    ['survey:nimblebrain-usage'],
    'has the server and a topic in its URI, and a sentence in the instructions',
    () => {
      expect(usageUri('ipinfo')).toBe('skill://ipinfo/usage');
      expect(mentionedUris(encodeUsageInstructions('ipinfo'))).toEqual([
        { uri: 'skill://ipinfo/usage', skillFile: false },
      ]);
      expect(encodeUsageRow('ipinfo', 'd')).toEqual({
        uri: 'skill://ipinfo/usage',
        name: 'ipinfo_skill',
        description: 'd',
        mimeType: 'text/markdown',
      });
      expect(() => usageUri('IP Info')).toThrow(expect.objectContaining({ code: 'USAGE' }));
    },
  );

  verifies(['nimblebrain:usage'], 'is named after its server, or server and topic if there are several', () => {
    expect(decodeUsageRows([{ uri: 'skill://ipinfo/usage', name: 'ipinfo_skill' }]).skills).toEqual([
      {
        uri: 'skill://ipinfo/usage',
        skillPath: 'ipinfo',
        name: 'ipinfo',
        files: 'unknown',
        retrievals: [{ kind: 'read', uri: 'skill://ipinfo/usage' }],
        verified: 'none',
      },
    ]);
    expect(names('skill://brave/search')).toEqual(['brave']);
    expect(names('skill://pdf/usage', 'skill://pdf/Merge Files', 'skill://x/a/b')).toEqual([
      'pdf',
      'pdf-merge-files',
      'x',
    ]);
  });

  verifies(['nimblebrain:usage'], 'never has a URI of another dialect', () => {
    expect(
      names(
        'skill://a/SKILL.md',
        'skill://a/_manifest',
        'skill://a/documents',
        'skill://a/document/x.md',
        'skill://lookup/a',
        'skill://index.json',
        'skill://a',
        'skill://a/',
        'skill://acme/a.tar.gz',
        'other://a/usage',
      ),
    ).toEqual([]);
    expect(decodeUsageRows([{ uri: 'skill://a/usage', mimeType: 'application/json' }]).skills).toEqual([]);
    expect(decodeUsageRows([{ uri: 'skill://技能/usage' }])).toMatchObject({
      skills: [],
      refused: [{ uri: 'skill://技能/usage' }],
    });
  });

  test('is read back except for its losses', () => {
    const { frontmatter } = gitWorkflowEntry;
    const row = encodeUsageRow(frontmatter.name, frontmatter.description);
    expect(decodeUsageRows([row, row]).skills).toEqual([
      {
        ...withoutLost(dialectSkillOf(gitWorkflowEntry), nimblebrainLosses),
        uri: row.uri,
        retrievals: [{ kind: 'read', uri: row.uri }],
      },
    ]);
  });

  test.each<[text: string, description: string | undefined]>([
    ['# IPInfo\n\nText', 'IPInfo'],
    ['Intro\n## Use it\n', 'Use it'],
    ['\n\n  First line \nsecond', 'First line'],
    ['#hashtag', '#hashtag'],
    [' \n', undefined],
  ])('takes its description from its first heading or line: %j', (text, description) => {
    expect(usageDescription(text)).toBe(description);
  });
});
