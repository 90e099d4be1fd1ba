/**
 * A gateway whose configuration came with its folder, while that file is edited. A line that acts changes nothing until it is
 * trusted, whatever else is edited with it. A trusted line that is removed and restored needs no new trust.
 */
import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { listedUris, listeningAt } from '../served-folder.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const program = [process.execPath, './starts.mjs'];
const docs = ['skill://docs/review/SKILL.md'];
const all = [...docs, 'skill://tools/refunds/SKILL.md'];

let folder: CliFolder;
let gateway: CliProcess;

beforeEach(() => {
  folder = cliFolder();
  folder.write({
    'docs/review/SKILL.md': skillText('review'),
    'more/drafts/SKILL.md': skillText('drafts'),
    'tools/refunds/SKILL.md': skillText('refunds'),
    'starts.mjs':
      "import { writeFileSync } from 'node:fs';\nwriteFileSync('started', '');\n" +
      `process.argv.splice(2, 0, 'serve', './tools', '--stdio');\nawait import(${JSON.stringify(main)});\n`,
  });
});

afterEach(async () => {
  gateway.child.kill('SIGTERM');
  await gateway.ended;
  folder.remove();
});

function configure(origins: object): void {
  folder.write({ 'skillwire.json': JSON.stringify({ origins }) });
}

async function serve(...flags: string[]): Promise<string> {
  gateway = folder.start(['serve', '--http', '0', '--json', '--log-format', 'json', ...flags]);
  return (await listeningAt(gateway)).mcp;
}

/** True after this number of reloads with this result. */
function reloads(event: 'config.refused' | 'config.applied', count: number): Promise<void> {
  return eventually(() => expect(gateway.stderr().split(`"event":"${event}"`)).toHaveLength(count + 1), 50);
}

const isStarted = (): boolean => existsSync(join(folder.path, 'started'));

function touch(): void {
  const now = new Date();
  utimesSync(join(folder.path, 'skillwire.json'), now, now);
}

test('an edit that acts is not applied before it is trusted, and starts nothing', async () => {
  configure({ docs: './docs' });
  const mcp = await serve();
  expect(await listedUris(mcp)).toEqual(docs);

  configure({ docs: './docs', more: './more', tools: { stdio: program } });
  await gateway.seen('stderr', /"event":"config\.refused".*is not trusted.*start a program.*skillwire trust/);
  expect(await listedUris(mcp)).toEqual(docs);
  const status = await folder.run(['status', mcp.replace(/\/mcp$/, '')]);
  expect(status).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/configuration: refused at .*not trusted/),
  });
  expect(isStarted()).toBe(false);

  // Lines that do not act are applied without a question.
  configure({ docs: './docs', more: './more' });
  await reloads('config.applied', 1);
  expect(await listedUris(mcp)).toEqual([...docs, 'skill://more/drafts/SKILL.md']);

  configure({ docs: './docs', tools: { stdio: program } });
  await reloads('config.refused', 2);
  await folder.trust();
  expect(isStarted()).toBe(false);
  touch();
  await reloads('config.applied', 2);
  await eventually(async () => expect(await listedUris(mcp)).toEqual(all));
  expect(isStarted()).toBe(true);
});

test('a server started with --trust-config asks only about new lines', async () => {
  configure({ docs: './docs', gone: { mcp: 'http://127.0.0.1:9/mcp' }, tools: { stdio: program } });
  const shown = await folder.run(['trust', '--json']);
  const { files } = JSON.parse(shown.stdout) as { files: [{ digest: string }] };
  const mcp = await serve('--trust-config', files[0].digest);
  await eventually(async () => expect(await listedUris(mcp)).toEqual(all));

  // A line that is edited away.
  configure({ docs: './docs', tools: { stdio: program, ttl: '1m' } });
  await reloads('config.applied', 1);
  expect(await listedUris(mcp)).toEqual(all);

  configure({ docs: './docs', tools: { stdio: [...program, '--no-watch'], ttl: '1m' } });
  await reloads('config.refused', 1);
  expect(await listedUris(mcp)).toEqual(all);
});
