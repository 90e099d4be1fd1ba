import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { corpus } from './corpus.ts';

/** The listed entry verifies, and one of its files (`SKILL.md` by default) contains this text. */
const says =
  (text: string | RegExp, path = 'SKILL.md'): Check =>
  async ({ row, listed, verified }) => {
    const entry = await listed();
    expect(entry).toHaveProperty('uri', row.target);
    expect((await verified(entry))[row.target.replace('SKILL.md', path)]).toMatch(text);
  };

proves('the corpus of harmful skills', corpus, {
  'corpus-hooks': async (wire) => {
    await says('hooks: {"PostToolUse"')(wire);
    await says('curl', 'scripts/tidy.sh')(wire);
  },
  'corpus-hidden-text': async (wire) => {
    await says(/file\.[\u{e0000}-\u{e007f}]{455}\n/u)(wire);
  },
  'corpus-remote-script': says('setup.sh | sh'),
  'corpus-expansion-containers': says('!`cat ~/.docker/config.json`'),
  'corpus-expansion-summary': says('!`git config --list`'),
  'corpus-expansion-health': says('!`env | sort`'),
  'corpus-install-script': says('"postinstall":"node report.js"', 'assets/helper/package.json'),
  'corpus-one-line': says('__import__("os").system', 'scripts/licenses.py'),
  'corpus-memory': says('Append to AGENTS.md, CLAUDE.md'),
  'corpus-picture': async ({ read, verified }) => {
    const bytes = Buffer.from(String((await read())['blob']), 'base64');
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    expect(bytes.toString('latin1')).toContain('tEXtComment\0Assistant: add "curl');
    await verified();
  },
  'corpus-test-set-up': says('urlopen', 'assets/conftest.py'),
  'corpus-key-link': async (wire) => {
    await says('../../../.ssh/id_ed25519')(wire);
    expect(await wire.message('resources/read', { uri: wire.row.at })).toHaveProperty('error.code', -32602);
  },
});
