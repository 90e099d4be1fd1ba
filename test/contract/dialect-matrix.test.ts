/** Every dialect with every command, on one skill with three files, one of them binary: all commands see the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.ts';
import { type Catalog, createCatalog } from '../../src/index.ts';
import { mcpServerSource } from '../../src/sources/mcp-server/mcp-server-source.ts';
import { servedDialects } from '../../src/surfaces/mcp/aliases/served-dialects.ts';
import { createSkillMethods, type SkillMethods } from '../../src/surfaces/mcp/skill-methods.ts';
import { type CliInProcess, cliInProcess } from '../cli-in-process.ts';
import { startStandIn } from '../peers/servers/stand-in.ts';
import { type WholeSkillRow, wholeSkill, wholeSkillRows } from '../peers/servers/whole-skill.ts';
import { type OriginRow, originRows, type RunningOrigin } from '../peers/servers/whole-skill-origins.ts';

const body = 'Read the [guide](references/GUIDE.md)';
const call = { era: 'modern', context: {} } as const;

async function contentsAt(methods: SkillMethods, uri: string): Promise<{ uri: string; bytes: Uint8Array }[]> {
  const { contents } = await methods.readResource({ uri }, call);
  return contents.map((content) => ({
    uri: content.uri,
    bytes: 'text' in content ? Buffer.from(content.text) : Buffer.from(content.blob, 'base64'),
  }));
}

function serverRow({ make, ...row }: WholeSkillRow): OriginRow {
  const chosen = row.options === undefined ? {} : { dialect: row.dialect };
  return {
    ...row,
    async start() {
      const { url, close } = await startStandIn(make());
      return { origin: `mcp:${url}`, source: async () => mcpServerSource({ url, ...chosen }), close };
    },
  };
}

describe.each([...wholeSkillRows.map(serverRow), ...originRows])('$what', (row) => {
  const { start, dialect, checked, options = [], lost = [], has = Object.keys(wholeSkill) } = row;
  const skill = row.uri ?? 'git-workflow';
  const whole = has.filter((path) => !lost.includes(path));
  let running: RunningOrigin;
  let cli: CliInProcess;
  let origin: string;

  beforeEach(async () => {
    running = await start();
    cli = cliInProcess();
    origin = `peer=${running.origin}`;
  });

  afterEach(async () => {
    cli.remove();
    await running.close();
  });

  function expectBytes(path: string, bytes: Uint8Array): void {
    if (path === 'SKILL.md') expect(Buffer.from(bytes).toString()).toContain(body);
    else expect(Buffer.from(bytes).equals(wholeSkill[path] ?? Buffer.alloc(0)), path).toBe(true);
  }

  test.skipIf(row.uri !== undefined)('list', async () => {
    const { exitCode, out, err } = await cli.run('list', origin, '--json', ...options);
    expect(exitCode, err).toBe(0);
    const { origins, skills } = JSON.parse(out);
    expect(origins).toMatchObject([{ ...(dialect === undefined ? {} : { dialect }), skills: 1 }]);
    expect(skills).toMatchObject([{ name: 'git-workflow' }]);
  });

  test('show', async () => {
    const { exitCode, out, err } = await cli.run('show', origin, skill, '--json', ...options);
    expect(exitCode, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ name: 'git-workflow', failures: [] });
  });

  test.each(has)('read %s', async (path) => {
    const { exitCode, out, err } = await cli.run('read', origin, skill, path, '--json', ...options);
    if (lost.includes(path)) {
      expect(exitCode).toBe(7);
      expect(err).toContain('sent a binary file as text');
      return;
    }
    expect(exitCode, err).toBe(0);
    const { text, blob, checked: level } = JSON.parse(out);
    expectBytes(path, text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text));
    expect(level).toBe(checked[path === 'SKILL.md' ? 0 : 1]);
  });

  test('verify', async () => {
    const { exitCode, out, err } = await cli.run('verify', origin, '--json', ...options);
    expect(exitCode, out + err).toBe(row.verify ?? 0);
    expect(JSON.parse(out).counts.skills).toBe(row.uri === undefined ? 1 : 0);
    expect(out).not.toContain('S-45');
  });

  async function throughGateway(run: (catalog: Catalog) => Promise<void>): Promise<void> {
    const source = await running.source();
    const one = { label: 'old', kind: 'mcp', key: 'old', placed: true, open: async () => source };
    const gateway = await createGateway([one], { id: 'test-gateway-0003' });
    const catalog = createCatalog(gateway.source);
    try {
      await run(catalog);
    } finally {
      await catalog.close();
    }
  }

  test('gateway', () =>
    throughGateway(async (catalog) => {
      const { listed } = await catalog.snapshot();
      const uri = listed[0]?.entry.uri ?? skill.replace('skill://', 'skill://old/');
      for (const path of has) {
        const reading = catalog.read(uri.replace(/SKILL\.md$/, path), {});
        if (lost.includes(path)) await expect(reading, path).rejects.toThrow('sent a binary file as text');
        else expectBytes(path, (await reading).bytes);
      }
      await expect(catalog.read(uri.replace(/SKILL\.md$/, 'no/such.md'), {})).rejects.toThrow('no served skill');
    }));

  test.skipIf(row.uri !== undefined)('gateway, by dialect addresses', () =>
    throughGateway(async (catalog) => {
      const { listed } = await catalog.snapshot();
      const methods = createSkillMethods(catalog, { dialects: servedDialects, listAliases: true });
      const folder = (listed[0]?.entry.uri ?? '').replace(/\/SKILL\.md$/, '');
      const others = (row.unknown === true ? [] : has).filter((path) => path !== 'SKILL.md').sort();
      const rows = (await methods.listResources({}, call)).resources.map(({ uri }) => uri);
      for (const address of [folder, 'skill://git-workflow']) {
        if (row.unknown === true) {
          for (const own of ['/', '/documents'])
            await expect(async () => methods.readResource({ uri: address + own }, call), own).rejects.toThrow();
          continue;
        }
        const collection = await contentsAt(methods, `${address}/`);
        const readable = others.filter((path) => !lost.includes(path));
        expect(collection.map(({ uri }) => uri).sort()).toEqual(readable.map((path) => `${address}/${path}`));
        for (const { uri, bytes } of collection) expectBytes(uri.slice(address.length + 1), bytes);
        const [listing] = await contentsAt(methods, `${address}/documents`);
        const { documents } = JSON.parse(Buffer.from(listing?.bytes ?? []).toString());
        expect(documents.map(({ path }: { path: string }) => path).sort()).toEqual(others);
        for (const { path, uri } of documents) {
          if (lost.includes(path)) continue;
          const [document] = await contentsAt(methods, uri);
          expectBytes(path, document?.bytes ?? Buffer.alloc(0));
        }
      }
      expect(rows.includes('skill://git-workflow/'), 'listed collection').toBe(row.unknown !== true);
      expect(rows.includes('skill://git-workflow/documents'), 'listed documents').toBe(others.length > 0);
      const [index] = await contentsAt(methods, 'skill://index');
      expect(JSON.parse(Buffer.from(index?.bytes ?? []).toString())).toMatchObject([{ documentCount: others.length }]);
      const { resources } = await methods.readDirectory({ uri: folder }, call);
      const top = ['SKILL.md', ...others].map((path) => path.split('/')[0] ?? '');
      expect(resources.map(({ name }) => name)).toEqual([...new Set(top)].sort());
    }),
  );

  test('pin', async () => {
    if (checked[1] === 'both') return;
    const { exitCode, out, err } = await cli.run('pin', origin, skill, '--json', ...options);
    expect(exitCode, err).toBe(lost.length === 0 ? 0 : 6);
    const { resources, missing = [] } = JSON.parse(out).pinned;
    expect(resources).toHaveLength(whole.length);
    expect(missing.map(({ path }: { path: string }) => path)).toEqual(lost);
  });

  test('add', async () => {
    const proved = checked[1] === 'both' || checked[1] === 'digest' || row.ownDigests === true;
    const place = ['--agent', 'codex', ...options, ...(proved ? [] : ['--pin'])];
    if (!proved) {
      const { exitCode, err } = await cli.run('add', origin, skill, ...options);
      expect(exitCode, err).toBe(5);
      expect(err).toContain('--pin');
    }
    const tried = await cli.run('add', origin, skill, '--dry-run', '--json', ...place);
    expect(tried.exitCode, tried.err).toBe(lost.length === 0 ? 0 : 6);
    expect(JSON.parse((await cli.run('pin', '--list', '--json')).out).pinned).toEqual([]);
    const digest = /"setDigest": ?"(sha256:[0-9a-f]{64})"/.exec(tried.out)?.[1] ?? '';
    const added = await cli.run('add', origin, skill, '--approve', digest, ...place);
    expect(added.exitCode, added.err).toBe(lost.length === 0 ? 0 : 6);
    const folder = join(cli.home, '.agents/skills/git-workflow');
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name).slice(folder.length + 1));
    expect(files.sort()).toEqual([...whole].sort());
    for (const path of whole) expectBytes(path, readFileSync(join(folder, path)));
  });

  test.skipIf(row.uri !== undefined)('search', async () => {
    const { exitCode, out, err } = await cli.run('search', 'team git conventions', origin, '--json', ...options);
    expect(exitCode, err).toBe(0);
    expect(out).toContain('git-workflow');
  });
});
