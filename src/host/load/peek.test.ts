import { expect, test } from 'vitest';
import { memorySource } from '../../sources/memory.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { createHost } from '../create-host.ts';

const text = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\nThe body of ${name}.\n`;

function counted(source: SkillSource): { readonly source: SkillSource; readonly gets: string[] } {
  const gets: string[] = [];
  return {
    gets,
    source: {
      ...source,
      get: (uri, context) => {
        gets.push(uri);
        return source.get(uri, context);
      },
    },
  };
}

test('peek() reads a listed SKILL.md of this machine, requests no entry and caches nothing', async () => {
  const store = memoryStore();
  const { source, gets } = counted(memorySource({ one: { 'SKILL.md': text('one') } }));
  const host = await createHost({ store, origins: [{ label: 'here', source, local: true }] });
  const { skills } = await host.discover();
  const [skill] = skills;
  if (skill === undefined || skill.entry.resources === 'dynamic') throw new Error('it lists one skill');
  expect(new TextDecoder().decode(await host.peek(skill))).toContain('The body of one.');
  expect(gets).toEqual([]);
  expect(await store.blobs.has(skill.entry.resources[0]?.digest ?? '')).toBe(false);
  await host.close();
});

test('peek() returns nothing of a remote origin that is not cached, and nothing that changed since the listing', async () => {
  const skillsOf = (body: string): SkillSource => memorySource({ one: { 'SKILL.md': `${text('one')}${body}` } });
  const [listed, later] = [skillsOf(''), skillsOf('More.')];
  const source: SkillSource = { ...listed, open: (uri, context) => later.open(uri, context) };
  const origins = [
    { label: 'remote', source: listed, local: false },
    { label: 'changed', source, local: true },
  ];
  const host = await createHost({ store: memoryStore(), origins });
  for (const skill of (await host.discover()).skills) expect(await host.peek(skill), skill.label).toBeUndefined();
  await host.close();
});
