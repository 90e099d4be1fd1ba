/**
 * FastMCP 3 with its SkillsProvider: two rows per skill, a manifest with hashes, files by template. It reads texts in text mode,
 * so CRLF arrives as LF and the manifest does not match. Other files come as blob. From: the source of FastMCP 3.
 */
import { createHash } from 'node:crypto';
import { f1, f2, f3 } from '../../dialect-fixtures.ts';
import { Fault, markdown, type Params, type StandIn } from './stand-in.ts';

type Folder = Readonly<Record<string, Uint8Array>>;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The files on its disk. */
const folders: Readonly<Record<string, Folder>> = {
  'git-workflow': { 'SKILL.md': f1.bytes, 'assets/raw.bin': f3.bytes, 'references/GUIDE.md': f2.bytes },
  'windows-notes': {
    'SKILL.md': bytes('---\r\nname: windows-notes\r\ndescription: Written on Windows.\r\n---\r\n\r\n# Notes\r\n'),
    'more.txt': bytes('one\r\ntwo\r\n'),
  },
  bare: { 'SKILL.md': bytes('# Bare\n\nNo frontmatter at all.\n') },
};

/** @param tampered a file whose bytes are others than the manifest says, as `skill/path` */
export function fastmcp(tampered?: string): StandIn {
  return {
    name: 'fastmcp',
    from: 'source of FastMCP 3, SkillsProvider',
    capabilities: { resources: { subscribe: false, listChanged: false } },
    methods: {
      'resources/list': () => ({
        resources: Object.keys(folders).flatMap((name) => [
          {
            ...markdown(`skill://${name}/SKILL.md`, `${name}/SKILL.md`, `Skill: ${name}`),
            _meta: { fastmcp: { skill: { name, is_manifest: false } } },
          },
          {
            uri: `skill://${name}/_manifest`,
            name: `${name}/_manifest`,
            mimeType: 'application/json',
            _meta: { fastmcp: { skill: { name, is_manifest: true } } },
          },
        ]),
      }),
      'resources/templates/list': () => ({
        resourceTemplates: Object.keys(folders).map((name) => ({ uriTemplate: `skill://${name}/{path*}`, name })),
      }),
      'resources/read': ({ uri }: Params) => ({ contents: [contentOf(String(uri), tampered)] }),
    },
  };
}

function contentOf(uri: string, tampered: string | undefined): object {
  const [, name = '', path = ''] = /^skill:\/\/([^/]+)\/(.+)$/.exec(uri) ?? [];
  const folder = folders[name];
  if (folder === undefined) throw new Fault(-32002, `Unknown resource: ${uri}`);
  if (path === '_manifest')
    return { uri, mimeType: 'application/json', text: JSON.stringify({ skill: name, files: manifestOf(folder) }) };
  const file = folder[decodeURIComponent(path)];
  if (file === undefined) throw new Fault(-32002, `Unknown resource: ${uri}`);
  const sent = tampered === `${name}/${path}` ? new Uint8Array([...file, 0x21]) : file;
  if (!/\.(?:md|txt)$/.test(path)) return { uri, blob: Buffer.from(sent).toString('base64') };
  const text = new TextDecoder().decode(sent).replaceAll('\r\n', '\n');
  return { uri, mimeType: 'text/markdown', text };
}

function manifestOf(folder: Folder): readonly object[] {
  return Object.entries(folder).map(([path, content]) => ({
    path,
    size: content.length,
    hash: `sha256:${createHash('sha256').update(content).digest('hex')}`,
  }));
}
