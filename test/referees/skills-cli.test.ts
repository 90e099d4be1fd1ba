/**
 * Our sites before the `skills` command line program. It installs the example skills from a running server and from a built static
 * site, by either index and from either kind of archive. The files on the disk have our digests.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { directorySource } from '../../src/sources/directory/directory-source.ts';
import { clientRow } from '../client-row.ts';
import { installedFile } from './installed.ts';
import { hidingProxy, staticServer, type WebServer } from './plain-web-server.ts';
import { type ScratchFolder, scratchFolder } from './scratch-folder.ts';
import { installAll, installedFiles } from './skills-cli.ts';
import { runSkillwire, type SkillwireProcess, startSkillwire } from './skillwire-process.ts';

const TIMEOUT_MS = 120_000;
const EXAMPLES = fileURLToPath(new URL('../../examples/skills', import.meta.url));
const V02 = '/.well-known/agent-skills';
const FORMATS = ['tar.gz', 'zip'] as const;

/** In the index of v0.1 all skills but one, whose file names v0.1 does not allow. */
const NOT_IN_V01 = 'translate-ui-text';

const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

describe('the skills program', { timeout: TIMEOUT_MS }, () => {
  let scratch: ScratchFolder;
  /** Digests of every file of the examples by skill and path, as in our entries. */
  let promised: Map<string, string>;
  const servers: { stop(): Promise<void> }[] = [];
  let projects = 0;

  beforeAll(async () => {
    scratch = await scratchFolder();
    promised = new Map();
    for await (const { skills } of directorySource(EXAMPLES, { watch: false, cache: false }).list({}))
      for (const { entry } of skills) {
        if (entry.resources === 'dynamic') throw new Error(entry.uri);
        for (const { uri, digest } of entry.resources) {
          const path = decodeURIComponent(uri.slice(entry.uri.length - 'SKILL.md'.length));
          promised.set(`${entry.frontmatter.name}/${path}`, digest);
        }
      }
    expect(promised.size).toBeGreaterThan(30);
  }, TIMEOUT_MS);

  afterAll(async () => {
    for (const server of servers) await server.stop();
    await scratch.remove();
  });

  async function started<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
    const server = await starting;
    servers.push(server);
    return server;
  }

  /** Installs from an address and expects exactly the promised files, those of some skills left out. */
  async function expectInstalled(url: string, without?: string): Promise<void> {
    const project = join(scratch.path, `project-${projects++}`);
    await mkdir(project);
    const { exitCode, stdout } = await installAll(url, scratch, project);
    expect(exitCode, stdout).toBe(0);
    const found = [...(await installedFiles(project))].map(([path, bytes]) => [path, sha256(bytes)] as const);
    const expected = [...promised].filter(([path]) => without === undefined || !path.startsWith(`${without}/`));
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  }

  const serving = (format: string): Promise<SkillwireProcess> =>
    startSkillwire(['serve', EXAMPLES, '--http', '127.0.0.1:0', '--json', '--archive-format', format]);

  async function built(format: string): Promise<string> {
    const out = join(scratch.path, `site-${format}`);
    const { exitCode, stderr } = await runSkillwire(['build', EXAMPLES, '--out', out, '--archive-format', format]);
    expect(exitCode, stderr).toBe(0);
    return out;
  }

  test.each(FORMATS)('installs from skillwire serve by the index of v0.2.0, from %s', async (format) => {
    const { url } = await started(serving(format));
    await expectInstalled(url);
  });

  test('installs from skillwire serve by the index of v0.1', async () => {
    const { url } = await started(serving('tar.gz'));
    const proxy = await started(hidingProxy(url, V02));
    await expectInstalled(proxy.url, NOT_IN_V01);
    expect(proxy.answered).toContain('/.well-known/skills/index.json');
  });

  test.each(FORMATS)('installs from a built site by the index of v0.2.0, from %s', async (format) => {
    const site: WebServer = await started(staticServer(await built(format)));
    await expectInstalled(site.url);
    expect(site.answered.some((path) => path.endsWith(`.${format}`))).toBe(true);
  });

  test('installs from a built site below a path, also by the index of v0.1', async () => {
    const out = await built('tar.gz');
    const site = await started(staticServer(out, { base: '/team/docs' }));
    await expectInstalled(`${site.url}/team/docs`);
    const older = await started(staticServer(out, { base: '/team/docs', hidden: V02 }));
    await expectInstalled(`${older.url}/team/docs`, NOT_IN_V01);
    expect(older.answered).toContain('/team/docs/.well-known/skills/index.json');
  });

  test('gets the same documents from both, except for file lists, which only a server adds to the newer index', async () => {
    const { url } = await started(serving('tar.gz'));
    const out = await built('tar.gz');
    const both = async (place: string): Promise<readonly [served: string, built: string]> => [
      await (await fetch(`${url}/${place}`)).text(),
      await readFile(join(out, place), 'utf8'),
    ];
    const [served, onDisk] = await both('.well-known/agent-skills/index.json');
    expect(served).not.toBe(onDisk);
    expect(served.replaceAll(/,"files":\[[^\]]*\]/g, '')).toBe(onDisk);
    const [servedV01, onDiskV01] = await both('.well-known/skills/index.json');
    expect(servedV01).toBe(onDiskV01);
  });

  clientRow(
    {
      client: 'skills',
      folder: installedFile('skills'),
      needs: 'a site (`/.well-known/agent-skills/index.json` or `/.well-known/skills/index.json`)',
    },
    import.meta,
  );
});
