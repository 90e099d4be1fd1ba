/** Gateways that list each other: each serves the other's own skills, and none of its own that come back (sec:X-9). */
import { expect, test } from 'vitest';
import { viaHeader } from '../../src/origins/started-by.ts';
import { eventually } from '../eventually.ts';
import { skill, temporary } from '../skill-folders.ts';
import { originAt, type ServedGateway, serveGateway } from './gateway/gateway-parts.ts';
import { modern } from './raw-mcp.ts';

const quick = { deadlineMs: 5_000, ttlMs: 200 };

async function gateway(name: string, kind: 'mcp' | 'site' = 'mcp') {
  const folder = await temporary({ [name]: { 'SKILL.md': skill(name) } });
  const id = `gateway-${name}-0001`;
  const own = originAt('own', { kind: 'folder', path: folder });
  const served = await serveGateway([own], { id });
  return {
    ...served,
    /** Lists these gateways besides its folder from now on. */
    listing: (others: Readonly<Record<string, ServedGateway>>) =>
      served.gateway.update([
        own,
        ...Object.entries(others).map(([label, { mcp }]) =>
          originAt(label, { kind, url: kind === 'mcp' ? mcp : mcp.replace(/\/mcp$/, '') }, quick, {
            headers: { [viaHeader]: id },
          }),
        ),
      ]),
  };
}

async function uris({ mcp }: ServedGateway): Promise<readonly string[]> {
  const { result } = await modern(mcp, 'skills/list');
  return ((result?.['skills'] ?? []) as { uri: string }[]).map(({ uri }) => uri).sort();
}

test('two gateways that list each other serve the skills of both once, and report the refused ones', async () => {
  const [red, blue] = [await gateway('red'), await gateway('blue')];
  await red.listing({ blue });
  await blue.listing({ red });
  await eventually(() => expect([red.report('blue').refused, blue.report('red').refused]).toEqual([1, 1]));
  expect(await uris(red)).toEqual(['skill://blue/own/blue/SKILL.md', 'skill://own/red/SKILL.md']);
  expect(await uris(blue)).toEqual(['skill://own/blue/SKILL.md', 'skill://red/own/red/SKILL.md']);
  expect(red.report('blue')).toMatchObject({ state: 'ok', skills: 1 });
  const { findings } = await red.handle.catalog.snapshot();
  expect(findings.map(({ message }) => message).join()).toMatch(
    /"skill:\/\/red\/own\/red\/SKILL\.md" comes from this gateway, so listing it would be a loop/,
  );
});

test('two gateways that list each other as sites notice it by their indexes', async () => {
  const [red, blue] = [await gateway('red', 'site'), await gateway('blue', 'site')];
  await red.listing({ blue });
  await blue.listing({ red });
  await eventually(() => expect([red.report('blue').refused, blue.report('red').refused]).toEqual([1, 1]));
  expect(await uris(red)).toEqual(['skill://blue/blue/SKILL.md', 'skill://own/red/SKILL.md']);
  expect(await uris(blue)).toEqual(['skill://own/blue/SKILL.md', 'skill://red/red/SKILL.md']);
  const { result } = await modern(red.mcp, 'skills/get', { uri: 'skill://blue/blue/SKILL.md' });
  expect(result).toMatchObject({
    skill: { _meta: { 'dev.skillwire/origin': { kind: 'site', via: ['gateway-blue-0001', 'gateway-red-0001'] } } },
  });
});

test('three gateways in a ring stop where they started', async () => {
  const [red, blue, green] = [await gateway('red'), await gateway('blue'), await gateway('green')];
  await red.listing({ blue });
  await blue.listing({ green });
  await green.listing({ red });
  await eventually(() => expect([red, blue, green].map((one) => one.gateway.origins()[1]?.refused)).toEqual([1, 1, 1]));
  expect(await uris(red)).toEqual([
    'skill://blue/green/own/green/SKILL.md',
    'skill://blue/own/blue/SKILL.md',
    'skill://own/red/SKILL.md',
  ]);
});
