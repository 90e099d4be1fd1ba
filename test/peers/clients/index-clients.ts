/**
 * Clients that find skills in `skill://index.json`, each with the rules of the draft that it was written for. Facts:
 * - mcpc's `skills.ts`: form A, name rules, scan as fallback
 * - the goose fork: form B, the first archive that it knows, hex compared without case, entries without `frontmatter.name` skipped
 * - fast-agent's draft-B reader: archives before the single file; an invalid digest makes that way unusable
 * - the SEP text of 2026-07-13: form C
 * - Microsoft Foundry's toolbox as its author described it in the discussion of SEP-2640: an entry `skill-md` and one `archive`
 *   per skill
 */
import { createHash } from 'node:crypto';
import { listAll, type ReadSkill, readBytes, readText, type StandInClient } from './reading.ts';
import { untar } from './untar.ts';
import type { Json, Wire } from './wire.ts';

const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

async function entriesOf(wire: Wire): Promise<readonly Json[]> {
  const { skills } = JSON.parse(await readText(wire, 'skill://index.json')) as { skills: readonly Json[] };
  return skills;
}

/** A missing digest is let pass, as the drafts before 2026-06-03 had none. */
async function verified(wire: Wire, uri: unknown, digest: unknown): Promise<Uint8Array> {
  const bytes = await readBytes(wire, String(uri));
  if (digest !== undefined && sha256(bytes) !== String(digest).toLowerCase())
    throw new Error(`${uri} does not have the digest of the index`);
  return bytes;
}

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('utf8');

/** `git-workflow`, `/acme/refunds/`, `skill://x` and `skill://x/` all stand for the `SKILL.md` of a skill. */
export function mcpcUri(name: string): string {
  const wanted = name.trim();
  if (wanted === '') throw new Error('mcpc: the name is blank');
  if (!wanted.startsWith('skill://')) return `skill://${wanted.replace(/^\/+|\/+$/g, '')}/SKILL.md`;
  const bare = wanted.replace(/\/+$/, '');
  return (bare.split('/').at(-1) ?? '').includes('.') ? bare : `${bare}/SKILL.md`;
}

/** Rows of `mcpc skills-list --json`. */
export async function mcpcList(wire: Wire): Promise<readonly Json[]> {
  try {
    return (await entriesOf(wire)).flatMap(({ name, type = 'skill-md', description, url }) =>
      ['skill-md', 'archive', 'mcp-resource-template'].includes(String(type)) && typeof name === 'string'
        ? [{ name, description, type, url }]
        : [],
    );
  } catch {
    const resources = await listAll(wire, 'resources/list', 'resources');
    return resources.flatMap(({ uri, name, description }) => {
      const path = /^skill:\/\/(.+)\/SKILL\.md$/.exec(String(uri))?.[1];
      if (path === undefined) return [];
      return [{ name: String(name) || path.split('/').at(-1), description, type: 'skill-md', url: uri }];
    });
  }
}

export const mcpc: StandInClient = {
  name: 'mcpc skills-list, skills-get',
  facts: 'source of mcpc, skills.ts',
  dialect: 'skill-index (form A)',
  async read(wire) {
    const skills: ReadSkill[] = [];
    for (const { name, type, url } of await mcpcList(wire))
      if (type === 'skill-md')
        skills.push({
          name: String(name),
          skillMd: await readText(wire, mcpcUri(String(url).slice(0, -'/SKILL.md'.length))),
        });
    return skills;
  },
};

const gooseTypes = new Set(['application/gzip', 'application/x-gzip', 'application/x-tar+gzip']);

export const goose: StandInClient = {
  name: 'goose (fork)',
  facts: 'source of the goose fork that reads the draft',
  dialect: 'skill-index (form B)',
  async read(wire) {
    const skills: ReadSkill[] = [];
    for (const { frontmatter, url, digest, archives = [] } of await entriesOf(wire)) {
      const { name } = (frontmatter ?? {}) as Json;
      if (typeof name !== 'string') continue;
      const archive = (archives as readonly Json[]).find(({ mimeType }) => gooseTypes.has(String(mimeType)));
      if (archive === undefined) skills.push({ name, skillMd: textOf(await verified(wire, url, digest)) });
      else {
        const files = untar(await verified(wire, archive['url'], archive['digest']));
        skills.push({ name, skillMd: textOf(files.get('SKILL.md')), files });
      }
    }
    return skills;
  },
};

export const fastAgent: StandInClient = {
  name: 'fast-agent (draft B)',
  facts: 'source of fast-agent while it read the draft; only where the extension is declared',
  dialect: 'skill-index (form B)',
  async read(wire) {
    const { extensions } = wire.capabilities as { extensions?: Json };
    if (extensions?.['io.modelcontextprotocol/skills'] === undefined) return [];
    const read = await goose.read(wire);
    for (const { name, skillMd } of read)
      if (!skillMd.startsWith('---\n')) throw new Error(`fast-agent: ${name} has no frontmatter`);
    return read;
  },
};

export const formC: StandInClient = {
  name: 'reader of form C',
  facts: 'text of SEP-2640 of 2026-07-13',
  dialect: 'skill-index (form C)',
  async read(wire) {
    const skills: ReadSkill[] = [];
    for (const { uri, frontmatter, resources } of await entriesOf(wire)) {
      if (typeof uri !== 'string' || !Array.isArray(resources)) continue;
      const base = uri.slice(0, -'SKILL.md'.length);
      const files = new Map<string, Uint8Array>();
      for (const { uri: file, digest } of resources as readonly Json[])
        files.set(decodeURIComponent(String(file).slice(base.length)), await verified(wire, file, digest));
      skills.push({ name: String((frontmatter as Json)['name']), skillMd: textOf(files.get('SKILL.md')), files });
    }
    return skills;
  },
};

/** Takes the archive where there is an entry of one, the single file elsewhere; merges both entries by name. */
export const foundry: StandInClient = {
  name: 'Foundry toolbox',
  facts: 'its author in the discussion of SEP-2640',
  dialect: 'skill-index (form A, --archive-entries)',
  async read(wire) {
    const byName = new Map<string, ReadSkill>();
    for (const { name, type, url, digest } of await entriesOf(wire)) {
      const bytes = await verified(wire, url, digest);
      if (type === 'archive') {
        const files = untar(bytes);
        byName.set(String(name), { name: String(name), skillMd: textOf(files.get('SKILL.md')), files });
      } else if (type === 'skill-md' && !byName.has(String(name)))
        byName.set(String(name), { name: String(name), skillMd: textOf(bytes) });
    }
    return [...byName.values()];
  },
};
