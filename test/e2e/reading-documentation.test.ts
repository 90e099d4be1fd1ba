/** The commands of docs/guides/read-and-approve.md, run one after the other as they stand there, against the server that it starts. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { splitCommand } from '../../src/origins/command-words.ts';
import { type CliFolder, cliFolder } from './cli-process.ts';
import { type ServedSkills, serveSkills } from './served-skills.ts';

const project = join(import.meta.dirname, '../..');
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

let folder: CliFolder;
let served: ServedSkills;

beforeAll(async () => {
  folder = cliFolder();
  cpSync(join(project, 'examples/skills'), join(folder.path, 'examples/skills'), { recursive: true });
  served = await serveSkills(folder, 'examples/skills');
});

afterAll(async () => {
  await served.stop();
  folder.remove();
});

function commands(): readonly string[] {
  const text = readFileSync(join(project, 'docs/guides/read-and-approve.md'), 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').replace(/ > \S+$/, ''))
    .filter((line) => line.startsWith('skillwire '));
}

test('every command runs', { timeout: 240_000 }, async () => {
  const run = commands().filter((line) => !/^skillwire serve|example\.com|sha256:…/.test(line));
  expect(run.length).toBeGreaterThan(12);
  for (const line of run) {
    const words = splitCommand(
      line
        .replaceAll('mcp:http://127.0.0.1:4711/mcp', served.origin)
        .replaceAll('http://127.0.0.1:4711', served.origin.replace(/^mcp:(.*)\/mcp$/, '$1'))
        .replace('npx skillwire', `node ${main}`),
    );
    const { exitCode, stderr } = await folder.run(words.slice(1));
    // Nobody is there to be asked, so nothing is approved and there is nothing to compare with.
    const expected = /^skillwire (?:approve|diff) /.test(line) ? 5 : 0;
    expect(exitCode, `${line}\n${stderr}`).toBe(expected);
  }
});
