/** A gateway in code: which configurations are trusted, and that every setting of an origin takes effect. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { refusal } from '../../../test/refusal.ts';
import { skill } from '../../../test/skill-folders.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { dialectIds } from '../../dialects/dialect-skill.ts';
import { acceptFile } from '../../origins/file-trust.ts';
import { judgeConfiguration } from '../../origins/judge-file.ts';
import { memorySource } from '../../sources/memory.ts';
import { openState } from '../open-state.ts';
import { serve } from '../serve.ts';
import { type Configuration, openGateway, parseConfiguration, serveConfiguration } from './gateway.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-gateway-'));
  mkdirSync(join(folder, 'skills/demo'), { recursive: true });
  writeFileSync(join(folder, 'skills/demo/SKILL.md'), skill('demo'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function configured(origins: object): { readonly file: string; readonly text: string; readonly state: string } {
  const file = join(folder, 'skillwire.json');
  const text = JSON.stringify({ origins });
  writeFileSync(file, text);
  return { file, text, state: join(folder, 'own') };
}

async function listed(given: string | Configuration, options: Parameters<typeof openGateway>[1] = {}): Promise<number> {
  const gateway = await openGateway(given, { base: folder, ...options });
  const catalog = createCatalog(gateway.source);
  onTestFinished(() => catalog.close());
  return (await catalog.snapshot()).listed.length;
}

describe('trust in a configuration', () => {
  const program = (): object => ({ tools: { stdio: ['sh', '-c', `touch ${join(folder, 'canary')}`] } });

  test('a file that would act is refused, and nothing starts', async () => {
    const { file, state } = configured(program());
    const error = await refusal(openGateway(file, { state }));
    expect(error).toMatchObject({ code: 'NOT_TRUSTED', data: { acts: [{ kind: 'program', at: 'origins.tools' }] } });
    expect(existsSync(join(folder, 'canary'))).toBe(false);
  });

  test('the digest of a file, or the same configuration as an object, counts as trust', async () => {
    const { file, text, state } = configured(program());
    const { data } = await refusal(openGateway(file, { state }));
    expect(await listed(file, { state, trustConfig: [String(data['digest'])] })).toBe(0);
    expect(existsSync(join(folder, 'canary'))).toBe(true);
    rmSync(join(folder, 'canary'));
    expect(await listed(parseConfiguration(text, file))).toBe(0);
    expect(existsSync(join(folder, 'canary'))).toBe(true);
    expect(await refusal(openGateway(file, { state, trustConfig: [`sha256:${'0'.repeat(64)}`] }))).toMatchObject({
      code: 'NOT_TRUSTED',
    });
  });

  test('values accepted with --state apply to every function with the same state', async () => {
    const { file, text, state } = configured(program());
    const store = await openState({ state }, { cwd: folder, env: {} }, () => undefined);
    const judged = await judgeConfiguration(parseConfiguration(text, file), { file, home: homedir() }, store.state, {});
    await acceptFile(judged, store);
    await store.close();
    expect(await listed(file, { state })).toBe(0);
    expect(await refusal(openGateway(file, { state: join(folder, 'other') }))).toMatchObject({ code: 'NOT_TRUSTED' });
    const http = { host: '127.0.0.1', port: 0 };
    const handle = await serveConfiguration(file, { state, http });
    await handle.close();
    expect(await refusal(serveConfiguration(file, { state: join(folder, 'other'), http }))).toMatchObject({
      code: 'NOT_TRUSTED',
    });
  });

  test('folders of the project need no trust', async () => {
    const { file, state } = configured({ team: './skills' });
    expect(await listed(file, { state })).toBe(1);
  });
});

describe('settings of an origin', () => {
  test('forbidden dialects are not read', async () => {
    const handle = await serve({
      source: memorySource({ demo: { 'SKILL.md': skill('demo') } }),
      http: { host: '127.0.0.1', port: 0 },
    });
    onTestFinished(() => handle.close());
    const origin = { label: 'up', url: handle.mcp ?? '' };
    expect(await listed({ origins: [origin], rules: [] })).toBe(1);
    expect(await listed({ origins: [{ ...origin, forbidDialects: dialectIds }], rules: [] })).toBe(0);
    expect(await listed({ origins: [{ ...origin, dialect: 'skilljack' }], rules: [] })).toBe(0);
  });

  test('agents of the configuration are known', async () => {
    mkdirSync(join(folder, '.ours/skills/own'), { recursive: true });
    writeFileSync(join(folder, '.ours/skills/own/SKILL.md'), skill('own'));
    const text = JSON.stringify({
      origins: { ours: 'agent:ours' },
      agents: [{ id: 'ours', project: '.ours/skills' }],
    });
    expect(await listed(parseConfiguration(text, 'skillwire.json'))).toBe(1);
  });

  test('a program does not start the configuration that started it', async () => {
    const { file, state } = configured({ tools: { stdio: ['sh', '-c', 'true'] } });
    const { data } = await refusal(openGateway(file, { state }));
    const env = { ...process.env, SKILLWIRE_STARTED_BY: file };
    const opening = openGateway(file, { state, env, trustConfig: [String(data['digest'])] });
    expect(await refusal(opening)).toMatchObject({ code: 'USAGE', message: expect.stringContaining('start itself') });
  });
});
