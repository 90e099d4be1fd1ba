/** Our reader before servers of older dialects that others wrote and ship: superpowers-mcp, and skilljack-mcp where it was built. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { installedFile } from './installed.ts';
import { runSkillwire } from './skillwire-process.ts';

const examples = fileURLToPath(new URL('../../examples/skills', import.meta.url));

interface Listed {
  readonly origins: readonly { readonly dialect?: string }[];
  readonly skills: readonly { readonly name: string; readonly verified: string }[];
}

describe('superpowers-mcp', () => {
  const origin = `peer=stdio:node ${installedFile('superpowers-mcp/out/server.js')}`;

  test('is not read as a server of skills without permission', async () => {
    const run = await runSkillwire(['list', origin]);
    expect(run.exitCode, run.stderr).toBe(2);
    expect(run.stderr).toContain('only if the dialect "nimblebrain" is chosen');
  });

  test('with permission is listed, and its texts are read', async () => {
    const run = await runSkillwire(['list', origin, '--dialect', 'nimblebrain', '--json']);
    expect(run.exitCode, run.stderr).toBe(0);
    const { origins, skills } = JSON.parse(run.stdout) as Listed;
    expect(origins[0]?.dialect).toBe('nimblebrain');
    expect(skills.length).toBeGreaterThan(10);
    expect(skills.every(({ verified }) => verified === 'none')).toBe(true);
    const read = await runSkillwire(['read', origin, 'superpowers-brainstorming', '--dialect', 'nimblebrain']);
    expect(read.stdout, read.stderr).toMatch(/^---\nname: "superpowers-brainstorming"\n/);
  });
});

/** The folder of skilljack-mcp 0.5.1, built from its repository. */
const skilljack = process.env['SKILLWIRE_SKILLJACK'];

describe.skipIf(skilljack === undefined)('skilljack-mcp', () => {
  const origin = `peer=stdio:node ${skilljack}/dist/index.js ${examples}`;

  test('is listed in its dialect, and its files are read as on the disk', async () => {
    const run = await runSkillwire(['list', origin, '--json']);
    expect(run.exitCode, run.stderr).toBe(0);
    const { origins, skills } = JSON.parse(run.stdout) as Listed;
    expect(origins[0]?.dialect).toBe('skilljack');
    expect(skills.map(({ name }) => name)).toContain('spreadsheet-check');
    const theirs = await runSkillwire(['read', origin, 'spreadsheet-check']);
    const ours = await runSkillwire(['read', examples, 'spreadsheet-check']);
    expect(theirs.stdout, theirs.stderr).toBe(ours.stdout);
  });
});
