/** The package as users get it: its entries, their exports, and what is not in it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientInfo } from '../../src/sources/mcp-server/protocol.ts';
import { defaultServerInfo } from '../../src/surfaces/mcp/server-options.ts';

const project = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));

/** All modules that a built file reaches by static import. */
function reached(file: string, seen = new Map<string, string[]>()): Map<string, string[]> {
  if (seen.has(file)) return seen;
  const text = readFileSync(file, 'utf8');
  const imports = [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g,
    ),
  ]
    .map(([, from, bare]) => from ?? bare ?? '')
    .filter((name) => name !== '');
  seen.set(
    file,
    imports.filter((name) => !name.startsWith('.')),
  );
  for (const name of imports) if (name.startsWith('.')) reached(resolve(dirname(file), name), seen);
  return seen;
}

describe('the package', () => {
  test('has exactly these entries, and each leads to a built file', () => {
    expect(Object.keys(manifest.exports)).toEqual([
      '.',
      './node',
      './host',
      './mcp-v1',
      './runtime',
      './sync',
      './gateway',
      './testing',
      './schema/skillwire.json',
      './schema/skillwire-lock.json',
      './schema/output/*.json',
      './package.json',
    ]);
    for (const target of Object.values<string | Record<string, string>>(manifest.exports))
      for (const file of typeof target === 'string' ? [target] : Object.values(target))
        expect(existsSync(join(project, file.replace('*', 'list'))), file).toBe(true);
    expect(existsSync(join(project, manifest.bin.skillwire))).toBe(true);
  });

  test.each([
    [
      'skillwire',
      [
        'SkillwireError',
        'VerificationError',
        'buildSkillIndex',
        'buildSkillUri',
        'createCatalog',
        'mcpHandler',
        'memorySource',
        'parseSkillUri',
      ],
    ],
    [
      'skillwire/node',
      [
        'addSkills',
        'archiveSource',
        'createProfile',
        'directorySource',
        'embeddingsEndpoint',
        'pinSkill',
        'serve',
        'withPinned',
      ],
    ],
    [
      'skillwire/host',
      [
        'PolicyError',
        'SkillwireError',
        'VerificationError',
        'asAiSdkTools',
        'asMcpTools',
        'asOpenAiTools',
        'createHost',
        'downloadSkill',
        'getSkill',
        'guardExecution',
        'listSkills',
        'logIn',
        'mcpServerSource',
        'memoryStore',
        'memoryTokens',
        'openHost',
        'readSkillUri',
        'siteSource',
        'skillTools',
        'withTombstones',
      ],
    ],
    ['skillwire/mcp-v1', ['addSkills']],
    ['skillwire/runtime', ['SkillwireError', 'createRuntime']],
    [
      'skillwire/sync',
      [
        'PolicyError',
        'SkillwireError',
        'VerificationError',
        'checkInstalled',
        'getManifest',
        'installPlace',
        'readInstalled',
        'removeSkills',
        'restoreSkills',
        'syncSkills',
        'writeSkill',
      ],
    ],
    [
      'skillwire/gateway',
      [
        'SkillwireError',
        'configurationJsonSchema',
        'createGateway',
        'openGateway',
        'originMetaKey',
        'parseConfiguration',
        'serveConfiguration',
      ],
    ],
    [
      'skillwire/testing',
      ['hostileUris', 'misbehavingServer', 'misbehaviors', 'testSkillSource', 'testStore', 'writeUnusualTree'],
    ],
  ])('%s exports %j', async (entry, names) => {
    expect(Object.keys(await import(entry)).sort()).toEqual(names);
  });

  test('the root entry imports no Node module', () => {
    const modules = [...reached(join(project, 'dist/index.js')).values()].flat();
    expect(modules).toContain('js-yaml');
    const builtins = new Set(builtinModules);
    expect(modules.filter((name) => name.startsWith('node:') || builtins.has(name))).toEqual([]);
  });

  test('the part of skillwire/runtime that a page loads needs no other package and no Node module', () => {
    expect([...reached(join(project, 'dist/runtime-client/index.js')).values()].flat()).toEqual([]);
  });

  test('reports its own version to clients and servers', () => {
    expect([defaultServerInfo.version, clientInfo.version]).toEqual([manifest.version, manifest.version]);
  });

  test('only skillwire/mcp-v1 needs SDK 1.x', () => {
    for (const entry of [
      'index.js',
      'node/entries/index.js',
      'node/entries/host.js',
      'cli/main.js',
      'testing/index.js',
    ])
      for (const names of reached(join(project, 'dist', entry)).values())
        expect(names.filter((name) => name.startsWith('@modelcontextprotocol/sdk'))).toEqual([]);
  });

  test('the package has no tests and no sources', () => {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
        cwd: project,
        encoding: 'utf8',
        shell: process.platform === 'win32',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    const files: string[] = packed.files.map(({ path }: { path: string }) => path);
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'CHANGELOG.md',
        'schema/skillwire.json',
        'dist/cli/main.js',
        'dist/man/skillwire.1',
      ]),
    );
    expect(files.filter((path) => /\.test\.|^src\/|^test\/|^examples\//.test(path))).toEqual([]);
  });

  test('its dependencies have no install scripts', () => {
    const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
    const scripted = Object.entries<{ dev?: boolean; hasInstallScript?: boolean }>(lock.packages)
      .filter(([path, { dev, hasInstallScript }]) => path !== '' && dev !== true && hasInstallScript === true)
      .map(([path]) => path);
    expect(scripted).toEqual([]);
  });

  test('lock files contain no download host', () => {
    for (const file of ['package-lock.json', 'test/referees/package-lock.json'])
      expect(readFileSync(join(project, file), 'utf8')).not.toMatch(/"resolved": *"https?:/);
  });
});

describe('the command', () => {
  test('is bundled into a few parts, which use the errors of the modules that users import', () => {
    expect(readdirSync(join(project, 'dist/cli')).sort()).toEqual(['main.js', 'parts']);
    const parts = join(project, 'dist/cli/parts');
    const texts = readdirSync(parts).map((name) => readFileSync(join(parts, name), 'utf8'));
    expect(texts.filter((text) => /class SkillwireError\b/.test(text))).toEqual([]);
    expect(texts.some((text) => text.includes('from "../../errors.js"'))).toBe(true);
    const loaded = [...reached(join(parts, 'install.js')).keys()];
    expect(loaded.length).toBeLessThan(8);
    // If there is nothing to do, no module that reads origins is loaded.
    expect(loaded.filter((path) => /(?:host|folders|installing)\.js$/.test(path))).toEqual([]);
  });

  test('has the licenses of the bundled packages, and no part of Commander that starts programs', () => {
    const parts = join(project, 'dist/cli/parts');
    const licenses = readFileSync(join(parts, 'LICENSES.txt'), 'utf8');
    for (const name of ['commander', 'diff', 'js-yaml', 'mrmime']) {
      expect(licenses).toMatch(new RegExp(`^${name}$`, 'm'));
      const used = readdirSync(parts).filter((part) =>
        readFileSync(join(parts, part), 'utf8').includes(` from "${name}"`),
      );
      expect(used).toEqual([]);
    }
    expect(readFileSync(join(parts, 'start.js'), 'utf8')).not.toContain('child_process');
  });

  const run = (...argv: string[]): string =>
    execFileSync(process.execPath, [join(project, manifest.bin.skillwire), ...argv], { encoding: 'utf8' });

  test('prints the version of the package', () => {
    expect(run('--version').trim()).toBe(manifest.version);
  });

  test('has no untested option', () => {
    const tests = ['src', 'test'].flatMap((folder) =>
      readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
        .filter(
          (name) => name.endsWith('.test.ts') && !name.includes('node_modules') && !name.endsWith('package.test.ts'),
        )
        .map((name) => readFileSync(join(project, folder, name), 'utf8')),
    );
    for (const command of [[], ['serve'], ['validate']])
      for (const [, option] of run(...command, '--help', '--all').matchAll(/^ {2,}(?:-\w, )?(--[a-z-]+)/gm))
        expect(
          tests.some((text) => text.includes(`${option}`)),
          `${command.join(' ')} ${option}`,
        ).toBe(true);
  });
});
