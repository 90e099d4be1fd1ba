/** Right and wrong arguments of `addSkills` for both SDKs: every mistake is an error at the call. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServer2 } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { memorySource } from '../../sources/memory.ts';
import { addSkills as addSkills2 } from './add-skills.ts';
import { addSkills as addSkills1 } from './mcp-v1.ts';
import type { SkillsHandle, SkillsInput } from './skills-handle.ts';

type AddSkills = (server: never, skills: SkillsInput) => SkillsHandle;

const information = { name: 'own', version: '1.0.0' };
const servers: Readonly<Record<1 | 2, () => unknown>> = {
  1: () => new McpServer1(information),
  2: () => new McpServer2(information),
};
const doors = [
  { sdk: 1, other: 2, addSkills: addSkills1 as AddSkills, otherDoor: 'skillwire/node' },
  { sdk: 2, other: 1, addSkills: addSkills2 as AddSkills, otherDoor: 'skillwire/mcp-v1' },
] as const;

let top: string;

beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), 'skillwire-add-arguments-'));
  await mkdir(join(top, 'skills/refunds'), { recursive: true });
  await writeFile(join(top, 'skills/refunds/SKILL.md'), '---\nname: refunds\ndescription: About refunds.\n---\n');
  await writeFile(join(top, 'file'), '');
});

afterAll(() => rm(top, { recursive: true, force: true }));

function refusal(run: () => SkillsHandle): SkillwireError {
  try {
    const handle = run();
    onTestFinished(() => handle.close());
  } catch (error) {
    if (error instanceof SkillwireError) return error;
    throw error;
  }
  throw new Error('not refused');
}

describe.each(doors)('addSkills() for SDK $sdk.x', ({ sdk, other, addSkills, otherDoor }) => {
  test('accepts a server of its SDK with a folder, folders, or a source', async () => {
    for (const [input, expected] of [
      [join(top, 'skills'), 1],
      [[join(top, 'skills'), join(top, 'skills/refunds')], 1],
      [memorySource(), 0],
    ] as const) {
      const handle = addSkills(servers[sdk]() as never, input);
      onTestFinished(() => handle.close());
      expect((await handle.catalog.snapshot()).skills).toHaveLength(expected);
    }
  });

  const folders = [
    ['a folder', 'skills', undefined, undefined],
    ['a missing folder', 'none', 'ORIGIN_NOT_FOUND', /no such folder\. Check the path/],
    ['a file', 'file', 'ORIGIN_NOT_A_FOLDER', /not a folder\. Name the folder that contains the skills/],
    ['a folder below a file', 'file/skills', 'ORIGIN_NOT_A_FOLDER', /not a folder/],
  ] as const;

  test.each(folders)('refuses the server of the other SDK, with any argument: %s', (_, path) => {
    const error = refusal(() => addSkills(servers[other]() as never, join(top, path)));
    expect(error.code).toBe('USAGE');
    expect(error.message).toBe(`This is an SDK ${other}.x server. Import addSkills from '${otherDoor}'.`);
  });

  test.each(folders.slice(1))('refuses %s at the call, alone and among others', (_, path, code, message) => {
    for (const input of [join(top, path), [join(top, 'skills'), join(top, path)]]) {
      const server = servers[sdk]() as never;
      const error = refusal(() => addSkills(server, input));
      expect([error.code, error.data]).toEqual([code, { path: join(top, path) }]);
      expect(error.message).toMatch(message ?? /./);
      expect(error.message).toContain(join(top, path));
      // Nothing of the attempt is left on the server.
      const handle = addSkills(server, join(top, 'skills'));
      onTestFinished(() => handle.close());
    }
  });

  test.each([
    ['the low-level server', (server: { server: unknown }) => server.server, /low-level Server.*Pass the McpServer/],
    ['nothing', () => undefined, /not an MCP server/],
    ['null', () => null, /not an MCP server/],
    ['another object', () => ({ server: {} }), /not an MCP server/],
    ['the class', (server: object) => server.constructor, /not an MCP server/],
  ] as const)('refuses %s in place of the server', (_, given, message) => {
    const error = refusal(() => addSkills(given(servers[sdk]() as never) as never, join(top, 'skills')));
    expect(error.code).toBe('USAGE');
    expect(error.message).toMatch(message);
  });

  test.each([[undefined], [null], [7], [{}], [[7]], [() => './skills']])(
    'refuses %j in place of the skills',
    (input) => {
      const error = refusal(() => addSkills(servers[sdk]() as never, input as never));
      expect(error.code).toBe('USAGE');
      expect(error.message).toMatch(/pass folders such as/);
    },
  );

  test('refuses an empty list of folders', () => {
    const error = refusal(() => addSkills(servers[sdk]() as never, []));
    expect(error.code).toBe('USAGE');
    expect(error.message).toMatch(/list of folders is empty/);
  });
});
