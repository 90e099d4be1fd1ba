/** docs/explanation/architecture.md is true: its rooms are those that are enforced, and its walks name files that exist, at most twelve each. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/explanation/architecture.md'), 'utf8');
const section = (title: string): string => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

test('every room has a row, and every row is a room', () => {
  const rows = [...section('The rooms').matchAll(/^\| `([a-z-]+)\/`/gm)].map(([, name]) => name).sort();
  const rooms = readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(rows).toEqual([...rooms, 'web'].sort());
});

test('the picture shows every room', () => {
  const picture = readFileSync(join(root, 'docs/pictures/house.svg'), 'utf8');
  for (const { name } of readdirSync(join(root, 'src'), { withFileTypes: true }).filter((one) => one.isDirectory()))
    expect(picture, name).toContain(`${name}/`);
});

test('rooms use what the page says', () => {
  const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
    forbidden: { name: string; to: { pathNot?: string[] } }[];
  };
  for (const [, name = '', uses = ''] of section('The rooms').matchAll(/^\| `([a-z-]+)\/` \| .* \| (.*) \|$/gm)) {
    const rule = forbidden.find((one) => one.name === `${name}-uses-only-its-own`);
    if (rule === undefined) continue;
    const allowed = (rule.to.pathNot ?? []).flatMap((pattern) => /^\^src\/([a-z-]+)\//.exec(pattern)?.[1] ?? []);
    const enforced = allowed.filter((one) => one !== name && one !== 'async' && one !== 'sources');
    const said = [...uses.matchAll(/`([a-z-]+)`/g)].map(([, one = '']) => one).filter((one) => one !== 'sources');
    expect(said.sort(), name).toEqual([...new Set(enforced)].sort());
  }
});

test('there are five walks of at most twelve files that exist', () => {
  const walks = section('Five walks').split('\n### ').slice(1);
  expect(walks).toHaveLength(5);
  for (const walk of walks) {
    const files = [...walk.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);
    expect(files.length, walk).toBeGreaterThan(5);
    expect(files.length, walk).toBeLessThanOrEqual(12);
    for (const file of files)
      expect(existsSync(join(root, 'src', file)) || existsSync(join(root, file)), file).toBe(true);
  }
});
