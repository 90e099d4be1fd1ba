/** Every public function with options refuses unknown options and wrong types at the call, before it reads or starts anything. */
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { createCatalog, memorySource } from '../../index.ts';
import * as gateway from './gateway.ts';
import * as host from './host.ts';
import { type Host, memoryStore } from './host.ts';
import * as node from './index.ts';
import * as sync from './sync.ts';

/** As a program without TypeScript calls it. */
// biome-ignore lint/suspicious/noExplicitAny: the subject is what types would refuse
type Loose = (...values: any[]) => unknown;

const loose = <T>(call: T): Loose => call as Loose;
const unused = { find: () => undefined, capture: () => undefined, approvals: {} } as unknown as Host;
const source = memorySource();
const mcp = (): McpServer => new McpServer({ name: 'x', version: '1' });
const http = { host: '127.0.0.1', port: 0 };
const place = { scope: 'project', root: '/nowhere', stateFolder: '/nowhere' };
const configuration = { origins: [], rules: [] };

async function faultOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message };
  }
  return undefined;
}

const calls: readonly (readonly [string, (options: object) => unknown])[] = [
  ['directorySource()', (options) => loose(node.directorySource)('./nowhere', options)],
  ['archiveSource()', (options) => loose(node.archiveSource)('./nowhere.zip', options)],
  ['serve()', (options) => loose(node.serve)({ source, http, ...options })],
  ['addSkills()', (options) => loose(node.addSkills)(mcp(), source, options)],
  ['createCatalog()', (options) => loose(createCatalog)(source, options)],
  ['createHost()', (options) => loose(host.createHost)({ store: memoryStore(), ...options })],
  ['openHost()', (options) => loose(host.openHost)([], options)],
  ['siteSource()', (options) => loose(host.siteSource)({ url: 'https://example.com', ...options })],
  ['mcpServerSource()', (options) => loose(host.mcpServerSource)({ url: 'https://example.com', ...options })],
  ['mcpServerSource()', (options) => loose(host.mcpServerSource)({ command: 'x', ...options })],
  ['skillTools()', (options) => loose(host.skillTools)(unused, options)],
  ['getManifest()', (options) => loose(sync.getManifest)(unused, 'pdf', options)],
  ['writeSkill()', (options) => loose(sync.writeSkill)(unused, 'pdf', './out', options)],
  ['syncSkills()', (options) => loose(sync.syncSkills)(unused, options)],
  ['removeSkills()', (options) => loose(sync.removeSkills)({ place, names: [], ...options })],
  ['restoreSkills()', (options) => loose(sync.restoreSkills)({ place, fetch: () => undefined, ...options })],
  ['createGateway()', (options) => loose(gateway.createGateway)([], { id: 'x', ...options })],
  ['openGateway()', (options) => loose(gateway.openGateway)(configuration, options)],
  ['serveConfiguration()', (options) => loose(gateway.serveConfiguration)(configuration, { http, ...options })],
];

test.each(calls)('%s refuses an option that it does not have', async (name, call) => {
  expect(await faultOf(() => call({ zzz: 1 }))).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(`${name} has no option "zzz".`),
  });
});

test.each<[string, string, () => unknown]>([
  ['directorySource()', 'option "watch"', () => loose(node.directorySource)('./nowhere', { watch: 'no' })],
  ['archiveSource()', 'option "nested"', () => loose(node.archiveSource)('./nowhere.zip', { nested: 0 })],
  ['serve()', 'option "roots"', () => loose(node.serve)({ roots: ['./skills'], http })],
  ['serve()', 'option "listing"', () => loose(node.serve)({ source, http, listing: 'some' })],
  ['serve()', 'option "dialects"', () => loose(node.serve)({ source, http, dialects: ['nope'] })],
  [
    'the option "http" of serve()',
    'option "port"',
    () => loose(node.serve)({ source, http: { host: 'x', port: '1' } }),
  ],
  ['addSkills()', 'option "dialects"', () => loose(node.addSkills)(mcp(), source, { dialects: 'all' })],
  ['createCatalog()', 'option "cachedBytes"', () => loose(createCatalog)(source, { cachedBytes: '1' })],
  ['createHost()', 'option "store"', () => loose(host.createHost)({})],
  ['createHost()', 'option "origins"', () => loose(host.createHost)({ store: memoryStore(), origins: ['./skills'] })],
  ['openHost()', 'option "decide"', () => loose(host.openHost)([], { decide: true })],
  ['openHost()', 'option "state"', () => loose(host.openHost)([], { state: 1 })],
  ['siteSource()', 'option "url"', () => loose(host.siteSource)({})],
  ['mcpServerSource()', 'option "args"', () => loose(host.mcpServerSource)({ command: 'x', args: 'y' })],
  ['skillTools()', 'option "listWhenAtMost"', () => loose(host.skillTools)(unused, { listWhenAtMost: '9' })],
  ['the option "names" of skillTools()', 'option "load"', () => loose(host.skillTools)(unused, { names: { load: 1 } })],
  ['getManifest()', 'option "signal"', () => loose(sync.getManifest)(unused, 'pdf', { signal: true })],
  ['writeSkill()', 'option "scripts"', () => loose(sync.writeSkill)(unused, 'pdf', './out', { scripts: 'yes' })],
  ['syncSkills()', 'option "skills"', () => loose(sync.syncSkills)(unused, { skills: 'pdf' })],
  ['syncSkills()', 'option "scope"', () => loose(sync.syncSkills)(unused, { scope: 'user' })],
  ['removeSkills()', 'option "names"', () => loose(sync.removeSkills)({ place, names: 'pdf' })],
  ['restoreSkills()', 'option "edits"', () => loose(sync.restoreSkills)({ place, fetch: () => 0, edits: 'drop' })],
  ['createGateway()', 'option "id"', () => loose(gateway.createGateway)([], {})],
  ['openGateway()', 'option "trustConfig"', () => loose(gateway.openGateway)(configuration, { trustConfig: 'x' })],
  [
    'serveConfiguration()',
    'option "cache"',
    () => loose(gateway.serveConfiguration)(configuration, { http, cache: 'x' }),
  ],
])('%s checks its %s', async (name, option, call) => {
  expect(await faultOf(call)).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(`The ${option} of ${name} must be `),
  });
});

describe('arguments', () => {
  test.each<[string, string, () => unknown]>([
    ['directorySource()', 'folders', () => loose(node.directorySource)(undefined)],
    ['directorySource()', 'folders', () => loose(node.directorySource)([{ folder: './skills' }])],
    ['archiveSource()', 'archive', () => loose(node.archiveSource)(new Uint8Array(1))],
    ['createCatalog()', 'source', () => loose(createCatalog)('./skills')],
    ['openHost()', 'origins', () => loose(host.openHost)('./skills')],
    ['openHost()', 'origins', () => loose(host.openHost)([{ label: 'a', source }])],
    ['mcpServerSource()', 'options', () => loose(host.mcpServerSource)('https://example.com')],
    ['getManifest()', 'host', () => loose(sync.getManifest)(['./skills'], 'pdf')],
    ['getManifest()', 'skill', () => loose(sync.getManifest)(unused, undefined)],
    ['writeSkill()', 'folder', () => loose(sync.writeSkill)(unused, 'pdf', { scripts: true })],
    ['syncSkills()', 'host', () => loose(sync.syncSkills)({ skills: ['pdf'] })],
    ['createGateway()', 'origins', () => loose(gateway.createGateway)('./skills', { id: 'x' })],
    ['openGateway()', 'configuration', () => loose(gateway.openGateway)({})],
    ['serveConfiguration()', 'configuration', () => loose(gateway.serveConfiguration)(undefined, { http })],
  ])('%s checks its %s', async (name, argument, call) => {
    expect(await faultOf(call)).toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(`The ${argument} of ${name} must be `),
    });
  });

  test('serve() needs either folders or a source', async () => {
    const fault = { code: 'USAGE', message: 'Cannot serve: pass either "roots" or "source".' };
    expect(await faultOf(() => loose(node.serve)({ http }))).toEqual(fault);
    expect(await faultOf(() => loose(node.serve)({ http, source, roots: [{ path: '.' }] }))).toEqual(fault);
  });
});
