/** A site whose every file a test sets and changes, on a real socket. Answers `If-None-Match`; closed when the test ends. */
import { createHash } from 'node:crypto';
import type { ArchiveFormat } from '../src/archive/archive-file.ts';
import { packArchive } from '../src/archive/pack.ts';
import {
  encodeIndexV01,
  encodeIndexV02,
  type WellKnownEntryV01,
  type WellKnownEntryV02,
} from '../src/dialects/well-known/encode-index.ts';
import { createHttpClient, type HttpClientOptions } from '../src/outbound/http-client.ts';
import type { HttpClient } from '../src/outbound/http-messages.ts';
import type { Finding } from '../src/skill/finding.ts';
import type { RefusedEntry, SkillSource, SourceSkill } from '../src/sources/skill-source.ts';
import { type ReceivedRequest, type ScriptedHttp, scriptedHttp } from './scripted-http.ts';

export interface SiteFile {
  readonly body?: string | Uint8Array;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ScriptedSite extends ScriptedHttp {
  /** By path; may be changed at any time. A text is a body. */
  readonly files: Map<string, SiteFile>;
  set(path: string, file: SiteFile | string | Uint8Array): void;
  /** The number of requests for a path. */
  count(path: string): number;
}

export const indexV02 = '/.well-known/agent-skills/index.json';
export const indexV01 = '/.well-known/skills/index.json';

export function sha256(bytes: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export async function scriptedSite(
  initial: Readonly<Record<string, SiteFile | string | Uint8Array>> = {},
): Promise<ScriptedSite> {
  const files = new Map<string, SiteFile>();
  const set: ScriptedSite['set'] = (path, file) => {
    files.set(path, typeof file === 'string' || file instanceof Uint8Array ? { body: file } : file);
  };
  for (const [path, file] of Object.entries(initial)) set(path, file);
  const server = await scriptedHttp(({ path, headers }: ReceivedRequest, response) => {
    const file = files.get(path) ?? files.get(decodeURIComponent(path));
    if (file === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
      return;
    }
    const { body = '', status = 200, headers: own = {} } = file;
    const etag = `"${sha256(body)}"`;
    const isSame = status === 200 && own['etag'] !== '' && headers['if-none-match'] === etag;
    const type = path.endsWith('.json') ? 'application/json' : typeOf(path);
    const { etag: givenTag = etag, ...others } = own;
    response.writeHead(isSame ? 304 : status, {
      'content-type': type,
      ...(givenTag === '' ? {} : { etag: givenTag }),
      ...others,
    });
    response.end(isSame ? undefined : body);
  });
  return { ...server, files, set, count: (path) => server.requests.filter((request) => request.path === path).length };
}

function typeOf(path: string): string {
  if (path.endsWith('.tar.gz')) return 'application/gzip';
  if (path.endsWith('.zip')) return 'application/zip';
  return path.endsWith('.md') ? 'text/markdown' : 'application/octet-stream';
}

export function skillMd(name: string, body = `# ${name}\n`, description = `About ${name}.`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}`;
}

/** Puts an index of v0.2 and its artifacts on a site: one file is `skill-md`, more are an archive. */
export function publishV02(
  site: Pick<ScriptedSite, 'set'>,
  skills: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>,
  {
    headers = {},
    format = 'tar.gz',
    base = '',
  }: { headers?: Record<string, string>; format?: ArchiveFormat; base?: string } = {},
): readonly WellKnownEntryV02[] {
  const entries = Object.entries(skills).map(([name, files]): WellKnownEntryV02 => {
    const description = `About ${name}.`;
    const only = Object.keys(files).length === 1 ? files['SKILL.md'] : undefined;
    const type = only === undefined ? 'archive' : 'skill-md';
    const encoder = new TextEncoder();
    const packed = Object.entries(files).map(([path, content]) => ({
      path,
      bytes: typeof content === 'string' ? encoder.encode(content) : content,
      executable: path.endsWith('.sh'),
    }));
    const bytes = only ?? packArchive(packed, format);
    const url = `/artifacts/${name}${only === undefined ? `.${format}` : '/SKILL.md'}`;
    site.set(url, bytes);
    return { name, type, description, url, digest: sha256(bytes) };
  });
  site.set(`${base}${indexV02}`, { body: encodeIndexV02(entries), headers });
  return entries;
}

/** Puts an index of v0.1 and its files on a site. */
export function publishV01(
  site: Pick<ScriptedSite, 'set'>,
  skills: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>,
  {
    headers = {},
    fileHeaders = {},
    base = '',
  }: { headers?: Record<string, string>; fileHeaders?: Record<string, string>; base?: string } = {},
): void {
  const entries = Object.entries(skills).map(([name, files]): WellKnownEntryV01 => {
    for (const [path, body] of Object.entries(files))
      site.set(`${base}/.well-known/skills/${name}/${path}`, { body, headers: fileHeaders });
    return { name, description: `About ${name}.`, files: Object.keys(files) };
  });
  site.set(`${base}${indexV01}`, { body: encodeIndexV01(entries), headers });
}

/** A client that may go to this machine, as for an origin that was typed. */
export function loopbackClient(options: HttpClientOptions = {}): HttpClient {
  return createHttpClient({ trustedHost: '127.0.0.1', ...options });
}

export interface ListedSite {
  readonly skills: readonly SourceSkill[];
  readonly uris: readonly string[];
  readonly findings: readonly Finding[];
  readonly refused: readonly RefusedEntry[];
}

/** All pages of a source, joined. */
export async function listSource(source: SkillSource, fresh = false): Promise<ListedSite> {
  const skills: SourceSkill[] = [];
  const findings: Finding[] = [];
  const refused: RefusedEntry[] = [];
  for await (const page of source.list({ fresh })) {
    skills.push(...page.skills);
    findings.push(...page.findings);
    refused.push(...(page.refused ?? []));
  }
  return { skills, uris: skills.map(({ entry }) => entry.uri), findings, refused };
}
