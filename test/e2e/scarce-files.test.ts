/** A server that may open few files: it reports that at the start, or continues when file handles are free again. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

const main = join(import.meta.dirname, '../../dist/cli/main.js');
let folder: CliFolder;
let started: CliProcess | undefined;

beforeEach(() => {
  folder = cliFolder();
  folder.write({
    'skills/good/SKILL.md': skillText('good'),
    'skills/good/.skillignore': 'draft.md\n',
    'skills/good/draft.md': 'Draft.\n',
    'skills/good/more.md': 'More.\n',
  });
});

afterEach(async () => {
  started?.child.kill('SIGKILL');
  await started?.ended;
  started = undefined;
  folder.remove();
});

test.skipIf(process.platform === 'win32').each([24, 48, 64, 96])(
  'a server with %i file handles serves or exits with a message',
  async (most) => {
    const command = [process.execPath, main, 'serve', './skills', '--http', '0', '--json'];
    const child = spawn('sh', ['-c', `ulimit -n ${most} && exec "$0" "$@"`, ...command], {
      cwd: folder.path,
      stdio: 'pipe',
    });
    let said = '';
    let failed = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      child.kill();
    });
    child.stderr.on('data', (chunk) => {
      failed += chunk;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (said !== '') return expect(JSON.parse(said)).toMatchObject({ mcp: expect.any(String) });
    expect(code).toBe(2);
    expect(JSON.parse(failed)).toMatchObject({ error: { message: expect.stringContaining('ulimit -n') } });
  },
);

/** Everything that a server answers, once. */
async function useEverything(url: string): Promise<void> {
  const paths = [
    '/',
    '/api/skills',
    '/api/origins',
    '/api/search?q=good',
    '/metrics',
    '/status',
    '/readyz',
    '/healthz',
  ];
  const sites = ['/.well-known/agent-skills/index.json', '/.well-known/skills/index.json'];
  for (const path of [...paths, ...sites]) {
    const answer = await fetch(`${url}${path}`);
    expect(answer.status, path).toBeLessThan(300);
    await answer.arrayBuffer();
  }
  const mcp = `${url}/mcp`;
  for (const method of ['skills/list', 'resources/list', 'resources/templates/list', 'tools/list'])
    expect(await modern(mcp, method), method).toMatchObject({ result: {} });
  const call = { name: 'search_skills', arguments: { query: 'good' } };
  expect(await modern(mcp, 'tools/call', call, { 'Mcp-Name': call.name })).toMatchObject({ result: {} });
  for (const uri of ['skill://good/SKILL.md', 'skill://index.json', 'skill://good/_manifest'])
    expect(await modern(mcp, 'resources/read', { uri }), uri).toMatchObject({ result: {} });
}

test('no request loads a module, because a failed load cannot be repeated', async () => {
  const loaded = join(folder.path, 'loaded.txt');
  folder.write({
    'loaded.txt': '',
    'register.mjs': `import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n`,
    'hooks.mjs': `import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  appendFileSync(${JSON.stringify(loaded)}, url + '\\n');
  return next(url, context);
}
`,
  });
  started = folder.start(['serve', './skills', '--http', '0', '--search', '--json'], {
    NODE_OPTIONS: `--import ${pathToFileURL(join(folder.path, 'register.mjs')).href}`,
  });
  const { mcp } = JSON.parse(await started.seen('stdout', /\n/)) as { mcp: string };
  const modules = (): readonly string[] => readFileSync(loaded, 'utf8').split('\n');
  const before = modules();
  await useEverything(mcp.replace(/\/mcp$/, ''));
  // The renderer of Markdown is a thread, which is restarted after a failure.
  const later = modules().filter((url) => !before.includes(url) && !url.includes('markdown'));
  expect(later).toEqual([]);
});

test('a read without a free file handle reports that, and works later', async () => {
  // From the moment the folder exists, opening a file of the skill fails as it does without a free descriptor.
  folder.write({
    'register.mjs': `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { openSync } = fs;
fs.openSync = (path, ...more) => {
  if (String(path).endsWith('more.md') && fs.existsSync('scarce'))
    throw Object.assign(new Error('EMFILE: too many open files, open'), { code: 'EMFILE', errno: -24, syscall: 'open' });
  return openSync(path, ...more);
};
syncBuiltinESMExports();
`,
  });
  started = folder.start(['serve', './skills', '--http', '0', '--json'], {
    NODE_OPTIONS: `--import ${pathToFileURL(join(folder.path, 'register.mjs')).href}`,
  });
  const { mcp } = JSON.parse(await started.seen('stdout', /\n/)) as { mcp: string };
  const uri = 'skill://good/more.md';
  const scarce = join(folder.path, 'scarce');
  mkdirSync(scarce);
  expect(await modern(mcp, 'resources/read', { uri })).toMatchObject({
    error: {
      code: -32603,
      message: `Cannot read "${uri}" at the moment (EMFILE). Try again.`,
      data: { reason: 'EMFILE' },
    },
  });
  const onSite = await fetch(mcp.replace(/mcp$/, '.well-known/skills/good/more.md'));
  expect([onSite.status, await onSite.text()]).toEqual([503, expect.stringContaining('at the moment')]);
  rmSync(scarce, { recursive: true });
  expect(await modern(mcp, 'resources/read', { uri })).toMatchObject({ result: { contents: [{ text: 'More.\n' }] } });
});
