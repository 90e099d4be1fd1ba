/** Every exit code of the table is reached by a command that a person would type. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../../src/errors.ts';
import { indexV01, publishV01, publishV02, type SiteFile, scriptedSite, skillMd } from '../scripted-site.ts';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';
import { type ServedSkills, serveSkills } from './served-skills.ts';

let folder: CliFolder;
let served: ServedSkills;
let locked: Server;
beforeAll(async () => {
  folder = cliFolder();
  folder.write({ 'skills/good/SKILL.md': skillText('good'), 'bad/bad/SKILL.md': 'no frontmatter\n' });
  served = await serveSkills(folder);
  locked = createServer((_, response) => response.writeHead(401).end());
  await new Promise<void>((resolve) => locked.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  locked.close();
  await served.stop();
  folder.remove();
});

const lockedUrl = (): string => `mcp:http://127.0.0.1:${(locked.address() as AddressInfo).port}/mcp`;
const site = (): string => new URL(served.origin.slice('mcp:'.length)).origin;

/** A site with a skill that differs from its index. */
async function siteWith(file: SiteFile): Promise<string> {
  const made = await scriptedSite();
  publishV02(made, { good: { 'SKILL.md': skillMd('good') }, other: { 'SKILL.md': skillMd('other') } });
  const artifact = [...made.files.keys()].find((path) => path.includes('good'));
  if (artifact === undefined) throw new Error('no artifact of the skill');
  made.set(artifact, file);
  return made.origin;
}

/** A site without digests, with one missing file. */
async function siteThatStops(): Promise<string> {
  const made = await scriptedSite();
  publishV01(made, { good: { 'SKILL.md': skillMd('good'), 'notes.md': 'notes' } });
  const notes = [...made.files.keys()].find((path) => path.endsWith('notes.md'));
  if (notes === undefined) throw new Error('no file of the skill');
  made.set(notes, { status: 429 });
  return made.origin;
}

/** It needs several servers: `replicas.test.ts` reaches it. */
const { unconfirmed: _, ...ofOneServer } = exitCodes;

/** How each code is reached; a code without a row does not compile. */
const ways: Readonly<Record<keyof typeof ofOneServer, () => readonly string[] | Promise<readonly string[]>>> = {
  ok: () => ['list', './skills'],
  findings: () => ['validate', './bad'],
  failed: () => ['list', './nowhere'],
  notAuthorized: () => ['list', lockedUrl()],
  unreachable: () => ['list', 'mcp:http://127.0.0.1:1/mcp'],
  refused: () => ['approve', served.origin, 'good'],
  partial: () => ['list', './skills', 'mcp:http://127.0.0.1:1/mcp'],
  verificationFailed: async () => ['verify', await siteWith({ body: skillMd('good', 'Something else.\n') })],
  incomplete: async () => ['verify', await siteThatStops(), '--site-fetch', 'lazy'],
  unverifiable: () => ['verify', `${site()}${indexV01}`, '--require-digests'],
  interrupted: () => ['serve', './skills', '--http', '0', '--json'],
};

test.each(Object.entries(ofOneServer))('%s (%i) is reached', async (name, code) => {
  const argv = await ways[name as keyof typeof ofOneServer]();
  const process = folder.start(argv);
  if (name === 'interrupted') {
    await process.seen('stdout', /listening/);
    process.child.kill('SIGINT');
  }
  const { exitCode, stderr } = await process.ended;
  expect(exitCode, `${argv.join(' ')}\n${stderr}`).toBe(code);
});
