/** The reading of a server by a stand-in client, and the requests that all of them send. */
import type { Json, Wire } from './wire.ts';

/** A skill as a client got it. Files are by path below the skill. */
export interface ReadSkill {
  readonly name: string;
  readonly skillMd: string;
  readonly files?: ReadonlyMap<string, Uint8Array>;
}

export interface StandInClient {
  readonly name: string;
  /** The real client that it stands for, and the source of the facts about it. */
  readonly facts: string;
  /** The older dialect that it needs of a server. */
  readonly dialect: string;
  /** Reads every skill as the client would. */
  read(wire: Wire): Promise<readonly ReadSkill[]>;
}

export interface Content {
  readonly uri: string;
  readonly mimeType?: string;
  readonly bytes: Uint8Array;
}

export function decodeContent({ uri, mimeType, text, blob }: Json): Content {
  const bytes = typeof text === 'string' ? Buffer.from(text) : Buffer.from(String(blob), 'base64');
  return { uri: String(uri), ...(typeof mimeType === 'string' ? { mimeType } : {}), bytes };
}

export async function readContents(wire: Wire, uri: string): Promise<readonly Content[]> {
  const { contents } = await wire.request('resources/read', { uri });
  return (contents as readonly Json[]).map(decodeContent);
}

export async function readBytes(wire: Wire, uri: string): Promise<Uint8Array> {
  const [content, ...more] = await readContents(wire, uri);
  if (content === undefined || more.length > 0) throw new Error(`${uri} is not one content`);
  if (content.uri !== uri) throw new Error(`${uri} came as ${content.uri}`);
  return content.bytes;
}

export async function readText(wire: Wire, uri: string): Promise<string> {
  return Buffer.from(await readBytes(wire, uri)).toString('utf8');
}

/** All pages of a list. */
export async function listAll(wire: Wire, method: string, field: string, params: Json = {}): Promise<readonly Json[]> {
  const rows: Json[] = [];
  for (let cursor: unknown; ; ) {
    const page = await wire.request(method, { ...params, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...(page[field] as readonly Json[]));
    cursor = page['nextCursor'];
    if (cursor === undefined) return rows;
  }
}

/** The value of a field in the frontmatter, as simple parsers of the time read it. */
export function frontmatterField(skillMd: string, field: string): string | undefined {
  return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(skillMd)?.[1];
}
