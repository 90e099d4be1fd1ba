/** Files that look secret are published only if the publisher names them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { listeningAt } from '../served-folder.ts';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;
const secret = 'skills/deploy/prod.env';
const other = 'skills/deploy/assets/credentials.json';

beforeAll(() => {
  folder = cliFolder();
  folder.write({
    'skills/deploy/SKILL.md': skillText('deploy'),
    [secret]: 'A=1\n',
    [other]: '{}\n',
    'other/SKILL.md': skillText('other'),
    'skillwire.json': JSON.stringify({ origins: { docs: { folder: './skills', publish: ['deploy/prod.env'] } } }),
  });
});

afterAll(() => folder.remove());

interface Validated {
  readonly skills: readonly { readonly files: readonly { readonly path: string }[] }[];
}

async function published(argv: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await folder.run(['validate', ...argv, '--files', '--json']);
  return (JSON.parse(stdout) as Validated).skills.flatMap(({ files }) => files.map(({ path }) => path)).sort();
}

test('validate publishes files named on the command line or in the configuration', async () => {
  expect(await published(['./skills'])).toEqual(['SKILL.md']);
  expect(await published(['./skills', '--publish', secret])).toEqual(['SKILL.md', 'prod.env']);
  expect(await published(['./skills', '--publish', secret, '--publish', other])).toEqual([
    'SKILL.md',
    'assets/credentials.json',
    'prod.env',
  ]);
  // A file that came with a folder must not publish what may be a secret of the user.
  expect(await folder.run(['validate'])).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('not trusted') });
  await folder.trust();
  expect(await published([])).toEqual(['SKILL.md', 'prod.env']);
  expect(await published(['docs', '--publish', other])).toEqual(['SKILL.md', 'assets/credentials.json', 'prod.env']);
});

test('build, pack and serve do the same', async () => {
  await folder.run(['build', './skills', '--out', 'site', '--publish', secret]);
  const files = readdirSync(join(folder.path, 'site/.well-known/skills/deploy'), { recursive: true });
  expect(files.sort()).toEqual(['SKILL.md', 'prod.env']);
  const packed = await folder.run(['pack', 'skills/deploy', '--out', 'deploy.zip', '--json', '--publish', secret]);
  const { files: inside } = JSON.parse(packed.stdout) as { files: { path: string }[] };
  expect(inside.map(({ path }) => path)).toEqual(['SKILL.md', 'prod.env']);
  const server = folder.start(['serve', './skills', '--publish', secret, '--http', '0', '--json']);
  const { mcp } = await listeningAt(server);
  for (const [uri, isThere] of [
    ['skill://deploy/prod.env', true],
    ['skill://deploy/assets/credentials.json', false],
  ] as const) {
    const { result } = await modern(mcp, 'resources/read', { uri });
    expect([uri, result !== undefined]).toEqual([uri, isThere]);
  }
  server.child.kill();
  await server.ended;
});

test('a file outside the folders is a usage error', async () => {
  expect(await folder.run(['validate', './skills', '--publish', 'other/prod.env'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      '--publish "other/prod.env" is not in any of the folders. Name a file below one of them.',
    ),
  });
});
