/** `skillwire search` with an endpoint in the configuration: by meaning if the user trusts it, by words if not. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmbeddingsServer, startEmbeddings } from '../embeddings-server.ts';
import { type CliResult, runInProcess } from '../run-in-process.ts';

let folder: string;
let endpoint: EmbeddingsServer;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-search-')));
  endpoint = await startEmbeddings();
  write('project/skills/riding/SKILL.md', '---\nname: riding\ndescription: Cares for a horse.\n---\n');
  write('project/skills/paying/SKILL.md', '---\nname: paying\ndescription: Settles a bill.\n---\n');
  write(
    'project/skillwire.json',
    JSON.stringify({ origins: { docs: './skills' }, search: { embeddings: { url: endpoint.url, model: 'small' } } }),
  );
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function run(...argv: readonly string[]): Promise<CliResult> {
  const home = join(folder, 'home');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, USERPROFILE: home, SKILLWIRE_HOME: join(home, 'state') };
  return runInProcess(argv, { cwd: join(folder, 'project'), env });
}

test("sends nothing without the user's trust, and gives the reason", async () => {
  const { stderr, exitCode } = await run('search', 'equine');
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/by words only: .*not trusted.*"skillwire trust"/)]);
  expect((await run('search', 'horse')).stdout).toContain('riding');
  expect(endpoint.texts).toEqual([]);
});

test('finds trusted skills by meaning, and embeds each text once', async () => {
  const trust = await run('trust', '--json');
  const { files } = JSON.parse(trust.stdout) as { files: { digest: string }[] };
  expect((await run('trust', '--trust-config', files[0]?.digest ?? '')).exitCode).toBe(0);
  const { stdout, stderr, exitCode } = await run('search', 'equine');
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
  expect(stdout).toMatch(/^NAME .*\nriding /);
  expect(endpoint.texts).toHaveLength(3);
  expect((await run('search', 'invoice')).stdout).toMatch(/^NAME .*\npaying /);
  expect(endpoint.texts).toHaveLength(4);
});

test('a failed endpoint leaves the hits by words', async () => {
  endpoint.status = 500;
  const { stdout, stderr, exitCode } = await run('search', 'horse', '--config', 'skillwire.json');
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/warning: Search ranks by words only: .*HTTP 500/)]);
  expect(stdout).toContain('riding');
});
