/** A gateway and its working folder: programs of the configuration start in it, and unnamed folders are relative to it. */
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { listedUris, listeningAt } from '../served-folder.ts';
import { type CliFolder, cliFolder, skillText, trustFiles } from './cli-process.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
let folder: CliFolder;

beforeEach(() => {
  folder = cliFolder();
});

afterEach(() => folder.remove());

test('an origin that is the gateway itself is started once, and the error has a remedy', async () => {
  // The program gets HOME and finds the same state there, as it does for most people.
  const run = (argv: readonly string[]) => folder.run(argv, { SKILLWIRE_HOME: '' });
  const itself = [process.execPath, main, 'serve', '--stdio'];
  folder.write({
    'skills/refunds/SKILL.md': skillText('refunds'),
    'skillwire.json': JSON.stringify({ origins: { docs: './skills', itself: { stdio: itself } } }),
  });
  await trustFiles(run);
  const { stderr, exitCode } = await run(['list']);
  expect(exitCode, stderr).toBe(6);
  expect(stderr).toContain('The origin "itself" of ');
  expect(stderr).toContain(
    'would start itself forever: this process is an origin of that configuration. Name what it serves',
  );

  const named = [process.execPath, main, 'serve', '--stdio', 'itself'];
  folder.write({ 'skillwire.json': JSON.stringify({ origins: { docs: './skills', itself: { stdio: named } } }) });
  await trustFiles(run);
  expect((await run(['list', 'itself'])).stderr).toContain('would start itself forever');
});

test('an origin may be the command in the folder of the gateway if it names its own folder', async () => {
  const other = [process.execPath, main, 'serve', './more', '--stdio'];
  folder.write({
    'skills/refunds/SKILL.md': skillText('refunds'),
    'more/review/SKILL.md': skillText('review'),
    'skillwire.json': JSON.stringify({ origins: { docs: './skills', other: { stdio: other } } }),
  });
  await folder.trust();
  const { stdout, stderr, exitCode } = await folder.run(['list', '--json']);
  expect(exitCode, stderr).toBe(0);
  const { skills } = JSON.parse(stdout) as { skills: { uri: string }[] };
  expect(skills.map(({ uri }) => uri).sort()).toEqual(['skill://refunds/SKILL.md', 'skill://review/SKILL.md']);
});

test('each of several unnamed folders is approved separately', async () => {
  folder.write({
    'skillwire.json': JSON.stringify({ origins: {}, policy: { mode: 'approved-only' } }),
    'one/refunds/SKILL.md': skillText('refunds'),
    'two/review/SKILL.md': skillText('review'),
    'two/refunds/SKILL.md': skillText('refunds', 'Of the second folder.\n'),
  });
  const server = folder.start(['serve', './one', './two', './one', '--http', '0', '--json']);
  try {
    const { mcp } = await listeningAt(server);
    expect(await listedUris(mcp)).toEqual([]);
    const approve = async (origin: string, name: string): Promise<void> => {
      const offer = await folder.run(['approve', origin, name, '--json']);
      const { needsApproval } = JSON.parse(offer.stdout) as { needsApproval: { setDigest: string }[] };
      const done = await folder.run(['approve', origin, name, '--yes', needsApproval[0]?.setDigest ?? '']);
      expect(done.exitCode, done.stderr).toBe(0);
    };
    await approve('./two', 'review');
    expect(await listedUris(mcp)).toEqual(['skill://review/SKILL.md']);
    await approve('./one', 'refunds');
    expect(await listedUris(mcp)).toEqual(['skill://refunds/SKILL.md', 'skill://review/SKILL.md']);
    await eventually(async () => {
      const { stdout } = await folder.run(['waiting', '--json']);
      const { waiting } = JSON.parse(stdout) as { waiting: { origin: string; name: string }[] };
      expect(waiting.map(({ origin, name }) => [origin.slice(folder.path.length + 1), name])).toEqual([
        ['two', 'refunds'],
      ]);
    }, 200);
  } finally {
    server.child.kill();
    await server.ended;
  }
});
