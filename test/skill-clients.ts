/** Clients for skills that others wrote, connected to a server: the official SDK's with its own skills extension, and ext-skills. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SKILLS_EXTENSION_ID, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import * as extSkills from '@olaservo/ext-skills/client';

const eras = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;

export interface ConnectOptions {
  readonly era: keyof typeof eras;
  readonly token?: string;
}

/** A file of a client; `verified` if the client compared it with the entry. */
export interface ClientFile {
  readonly skill: string;
  readonly uri: string;
  readonly verified: boolean;
  readonly bytes: Uint8Array;
}

export interface ClientReading {
  /** URIs of all skills in the listing. */
  readonly skills: readonly string[];
  /** Entries that the client refuses. */
  readonly refused: readonly unknown[];
  /** Of those that have a manifest all files, of others `SKILL.md`. */
  readonly files: readonly ClientFile[];
}

async function connected<T>(mcp: string, options: ConnectOptions, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: { extensions: { [SKILLS_EXTENSION_ID]: {} } },
      versionNegotiation: { mode: eras[options.era] },
    },
  );
  const headers: Record<string, string> =
    options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers } }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** Lists, gets and reads everything with the official skills client, which throws on bytes that fail verification. */
export function readWithOfficial(mcp: string, options: ConnectOptions): Promise<ClientReading> {
  return connected(mcp, options, async (client) => {
    const skills = new SkillsClient(client, { skipInvalid: true });
    const listing = await skills.list();
    const files: ClientFile[] = [];
    for (const listed of listing.skills) {
      const { skill } = await skills.get(listed.uri);
      for (const { uri } of skill.resources === 'dynamic' ? [skill] : skill.resources) {
        const { verified, bytes } = await skills.read(skill, uri);
        files.push({ skill: skill.uri, uri, verified, bytes });
      }
    }
    return { skills: listing.skills.map(({ uri }) => uri).sort(), refused: listing.invalid, files };
  });
}

/** The same with ext-skills, which throws if a file of a manifest fails verification. */
export function readWithExtSkills(mcp: string, options: ConnectOptions): Promise<ClientReading> {
  return connected(mcp, options, async (client) => {
    const peer = client as unknown as extSkills.SkillsClient;
    const entries = await extSkills.listSkills(peer);
    const files: ClientFile[] = [];
    for (const listed of entries) {
      const entry = await extSkills.getSkill(peer, listed.uri);
      const manifest = extSkills.manifestOf(entry);
      for (const { uri } of manifest ?? [entry]) {
        // It reads skills without a manifest only on request.
        const read = await extSkills.readSkillResource(peer, entry, uri, { allowUnverified: manifest === undefined });
        const bytes = read.text === undefined ? Buffer.from(read.blob ?? '', 'base64') : Buffer.from(read.text);
        files.push({ skill: entry.uri, uri, verified: manifest !== undefined, bytes });
      }
    }
    return { skills: entries.map(({ uri }) => uri).sort(), refused: [], files };
  });
}
