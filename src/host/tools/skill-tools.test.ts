import { describe, expect, onTestFinished, test } from 'vitest';
import { bytesOf, type ScriptedOrigin, scriptedOrigin, skillMd } from '../../../test/scripted-origin.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { createHost } from '../create-host.ts';
import type { Host } from '../host.ts';
import { type SkillToolsOptions, skillTools } from './skill-tools.ts';
import { asAiSdkTools, asMcpTools, asOpenAiTools } from './tool-shapes.ts';

const skills = {
  a: { 'SKILL.md': skillMd('a', '', 'See b.md.\n'), 'b.md': 'B\n' },
  c: { 'SKILL.md': skillMd('c') },
};

async function open(options: SkillToolsOptions = {}, ...origins: ScriptedOrigin[]) {
  const used = origins.length === 0 ? [scriptedOrigin('docs', skills)] : origins;
  const host: Host = await createHost({ store: memoryStore(), origins: used, decide: async () => ({ allow: true }) });
  onTestFinished(() => host.close());
  const tools = await skillTools(host, options);
  const call = async (name: string, args: unknown) => {
    const tool = tools.find((known) => known.name === name);
    if (tool === undefined) throw new Error(name);
    return tool.handler(args);
  };
  return { host, tools, call };
}

describe('skillTools()', () => {
  test('are five, with strict schemas', async () => {
    const { tools } = await open();
    expect(tools.map(({ name }) => name)).toEqual([
      'load_skill',
      'read_skill_file',
      'list_skill_files',
      'read_resource',
      'list_skills',
    ]);
    expect(tools[1]?.inputSchema).toEqual({
      type: 'object',
      properties: {
        skill: { type: 'string', description: expect.any(String) },
        path: { type: 'string', description: expect.any(String) },
      },
      required: ['skill', 'path'],
      additionalProperties: false,
    });
  });

  test('accept other names, also in their texts, and omit the list if there are many skills', async () => {
    const { tools, call } = await open({ names: { load: 'use_skill' }, listWhenAtMost: 1 });
    expect(tools.map(({ name }) => name)).toEqual([
      'use_skill',
      'read_skill_file',
      'list_skill_files',
      'read_resource',
    ]);
    expect((await call('read_skill_file', { skill: 'a', path: 'b.md' })).text).toContain('use_skill');
  });

  test('load, list and read; loading a skill again replaces its earlier window', async () => {
    const { host, call } = await open();
    expect(await call('list_skills', {})).toMatchObject({ isError: false, text: expect.stringContaining('About c.') });
    expect(await call('load_skill', { name: 'a' })).toMatchObject({
      isError: false,
      text: expect.stringContaining('See b.md.'),
    });
    expect((await call('list_skill_files', { skill: 'docs:a' })).text).toMatch(/b\.md \(2 bytes\)/);
    expect((await call('read_skill_file', { skill: 'skill://a/SKILL.md', path: 'b.md' })).text).toContain('B');
    await call('load_skill', { name: 'docs:a' });
    await call('load_skill', { name: 'c' });
    expect(host.acting.list().map(({ name }) => name)).toEqual(['a', 'c']);
  });

  test('return errors as escaped text without a stack', async () => {
    const docs = scriptedOrigin('docs', skills);
    const { call } = await open({}, docs, scriptedOrigin('team', { a: skills.a }));
    expect(await call('load_skill', { name: 'a' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^AMBIGUOUS_SKILL: .*docs:.*team:/),
    });
    for (const args of [undefined, {}, { name: 7 }, { name: '' }, 'a'])
      expect(await call('load_skill', args)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^USAGE: load_skill needs "name"/),
      });
    const escaped = await call('load_skill', { name: 'x\u202e\u001b[2J' });
    expect(escaped.text).toMatch(/SKILL_NOT_FOUND/);
    for (const character of ['\u202e', '\u001b']) expect(escaped.text).not.toContain(character);
    await call('load_skill', { name: 'docs:a' });
    await call('load_skill', { name: 'team:a' });
    expect((await call('read_skill_file', { skill: 'a', path: 'b.md' })).text).toMatch(/^AMBIGUOUS_SKILL/);
    const away = await call('read_skill_file', { skill: 'docs:a', path: '../c/SKILL.md' });
    expect(away).toMatchObject({ isError: true, text: expect.stringMatching(/^VERIFICATION_FAILED/) });
    expect(away.text).not.toContain('at ');
  });

  test('wrap plain resources in tags that they cannot close', async () => {
    const docs = scriptedOrigin('docs', skills);
    docs.resources.set('n:1', { uri: 'n:1', bytes: bytesOf('x</resource_content>y'), mimeType: 'text/"x"' });
    docs.resources.set('n:2', { uri: 'n:2', bytes: new Uint8Array([255]) });
    const { call } = await open({}, docs);
    const { text } = await call('read_resource', { server: 'docs', uri: 'n:1' });
    expect(text).toMatch(
      /^<resource_content origin="docs" uri="n:1" type="text\/&quot;x&quot;">\nx&lt;\/resource_content>y\n<\/resource_content>$/,
    );
    expect((await call('read_resource', { server: 'docs', uri: 'n:2' })).text).toContain('has 1 bytes');
    expect(await call('read_resource', { server: 'docs', uri: 'n:3' })).toMatchObject({ isError: true });
    expect(await call('read_resource', { server: 'nobody', uri: 'n:1' })).toMatchObject({ isError: true });
  });

  test('throw instead of returning text when the caller aborts', async () => {
    const { tools } = await open();
    await expect(tools[0]?.handler({ name: 'a' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
  });
});

describe('the shapes', () => {
  test('asMcpTools() has the form of tools/list and tools/call', async () => {
    const { tools } = await open();
    const [load] = asMcpTools(tools);
    expect(load).toMatchObject({ name: 'load_skill', inputSchema: { type: 'object' } });
    expect(await load?.call({ name: 'none' })).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('SKILL_NOT_FOUND') }],
      isError: true,
    });
  });

  test('asAiSdkTools() is an object by name, with execute()', async () => {
    const { tools } = await open();
    const { load_skill: load } = asAiSdkTools(tools);
    expect(load?.inputSchema.jsonSchema.required).toEqual(['name']);
    expect(await load?.execute({ name: 'a' }, {})).toContain('skill_content');
    await expect(load?.execute({ name: 'a' }, { abortSignal: AbortSignal.abort() })).rejects.toThrow();
  });

  test('asOpenAiTools() describes functions and dispatches calls', async () => {
    const { tools } = await open();
    const { tools: described, dispatch } = asOpenAiTools(tools);
    expect(described[0]).toMatchObject({
      type: 'function',
      function: { name: 'load_skill', parameters: { type: 'object' } },
    });
    const call = (name: string, json: string) => dispatch({ function: { name, arguments: json } });
    expect(await call('load_skill', '{"name":"a"}')).toContain('skill_content');
    expect(await call('load_skill', '{"name":')).toMatch(/^USAGE/);
    expect(await call('other', '{}')).toBeUndefined();
  });
});
