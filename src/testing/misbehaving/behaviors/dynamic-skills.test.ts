import { expect } from 'vitest';
import { proves } from '../../../../test/misbehavior-proof.ts';
import { dynamicSkills } from './dynamic-skills.ts';

proves('dynamic skills', dynamicSkills, {
  'dynamic-skill': async ({ listed, got, text }) => {
    expect(await listed()).toHaveProperty('resources', 'dynamic');
    const { description } = Object(await got()).frontmatter;
    expect(await text()).toContain(`description: ${JSON.stringify(description)}`);
  },
  'dynamic-frontmatter-differs': async ({ got, text }) => {
    const entry = Object(await got());
    expect(entry.resources).toBe('dynamic');
    expect(await text()).not.toContain(entry.frontmatter.description);
  },
  'dynamic-grows': async ({ listed, text }) => {
    expect(await listed()).toHaveProperty('resources', 'dynamic');
    const [first, second] = [await text(), await text()];
    expect(first).toMatch(/^---\nname: refunds\n/);
    expect(first.length).toBeGreaterThan(4_000_000);
    expect(second.length).toBeGreaterThan(8_000_000);
  },
  'dynamic-only-in-get': async ({ listed, got }) => {
    expect(await listed()).toHaveProperty('resources.length', 4);
    expect(await got()).toHaveProperty('resources', 'dynamic');
  },
  'dynamic-changes': async ({ listed, text }) => {
    expect(await listed()).toHaveProperty('resources', 'dynamic');
    const [first, second] = [await text(), await text()];
    expect(first).toContain('reading 1');
    expect(second).toContain('reading 2');
  },
});
