/** "Did you mean" for every kind of name that a person types or a model passes. Never for a name that is hidden from the reader. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skillTools } from '../../src/host/tools/skill-tools.ts';
import { openHost } from '../../src/node/entries/host.ts';
import { type CliInProcess, cliInProcess } from '../cli-in-process.ts';

let cli: CliInProcess;

beforeAll(async () => {
  cli = cliInProcess();
  for (const name of ['code-review', 'pdf-tools']) {
    mkdirSync(join(cli.home, 'handbook', name), { recursive: true });
    const text = `---\nname: ${name}\ndescription: How to do it. Use when asked.\n---\n\n# It\n`;
    writeFileSync(join(cli.home, 'handbook', name, 'SKILL.md'), text);
  }
  const configuration = { origins: { platform: './handbook' }, profiles: { everybody: {} } };
  writeFileSync(join(cli.home, 'skillwire.json'), JSON.stringify(configuration));
  for (const argv of [
    ['origins', 'add', 'vendor=./handbook'],
    ['token', 'add', 'build-server', '--profile', 'everybody'],
    ['add', './handbook', 'pdf-tools', '--agent', 'claude-code'],
  ]) {
    const { exitCode, err } = await cli.at(() => 'y', ...argv);
    expect(exitCode, `${argv.join(' ')}: ${err}`).toBe(0);
  }
  await cli.run('approve', 'platform', 'code-review', '--json');
}, 60_000);

afterAll(() => cli.remove());

describe('a mistyped name', () => {
  test.each([
    [['show', './handbook', 'codereview'], 'code-review'],
    [['show', 'platform', 'platform:code-revew'], 'platform:code-review'],
    [['read', './handbook', 'code-revew'], 'code-review'],
    [['approve', './handbook', 'code-revew'], 'code-review'],
    [['diff', './handbook', 'code-revew'], 'code-review'],
    [['add', './handbook', 'pdf'], 'pdf-tools'],
    [['disable', './handbook', 'pdf-tool'], 'pdf-tools'],
    [['remove', 'pdftools'], 'pdf-tools'],
    [['update', 'pdf-tool'], 'pdf-tools'],
    [['list', 'plattform'], 'platform'],
    [['serve', 'plattform'], 'platform'],
    [['list', 'vender'], 'vendor'],
    [['origins', 'remove', 'vender'], 'vendor'],
    [['connect', 'clude-code', './handbook'], 'claude-code'],
    [['connect', 'claude', './handbook'], 'claude-code'],
    [['list', 'agent:claud-code'], 'claude-code'],
    [['add', './handbook', 'pdf-tools', '--agent', 'claude-cod'], 'claude-code'],
    [['token', 'add', 'x', '--profile', 'everbody'], 'everybody'],
    [['token', 'revoke', 'buildserver'], 'build-server'],
  ])('is corrected: %j', async (argv, name) => {
    const { exitCode, err } = await cli.run(...argv);
    expect(err).toContain(`Did you mean "${name}"?`);
    expect(exitCode).toBe(2);
  });

  test.each([
    [['serv', './handbook'], 'serve'],
    [['origins', 'lst'], 'list'],
    [['validate', './handbook', '--formt', 'json'], '--format'],
  ])('of a command or an option is corrected: %j', async (argv, name) => {
    expect((await cli.run(...argv)).err).toContain(`Did you mean ${name}?`);
  });

  test('is corrected in the answer to a model', async () => {
    const host = await openHost([join(cli.home, 'handbook')], { decide: async () => ({ allow: true }) });
    try {
      const load = (await skillTools(host)).find(({ name }) => name === 'load_skill');
      const answer = await load?.handler({ name: 'code-revew' });
      expect(answer?.text).toContain('Did you mean "code-review"?');
    } finally {
      await host.close();
    }
  });
});

describe('a name that is hidden from the reader', () => {
  test('is not suggested', async () => {
    expect((await cli.run('disable', './handbook', 'code-review')).exitCode).toBe(0);
    const { err } = await cli.run('show', './handbook', 'code-revew');
    expect(err).toContain('No skill named "code-revew".');
    expect(err).not.toContain('Did you mean');
  });
});
