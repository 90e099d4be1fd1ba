/** The shape of a server as data, and the pieces that several of them are made of. */
import type { DialectId, Verified } from '../../src/dialects/dialect-skill.ts';
import type { ProbeAnswer } from '../../src/dialects/probe.ts';
import type { RecognizedState, RecognizeOptions } from '../../src/dialects/recognize.ts';
import { f1, gitWorkflowEntry } from '../dialect-fixtures.ts';

export interface DialectServer {
  readonly what: string;
  readonly capabilities: unknown;
  readonly instructions?: string;
  /** By method and, for `resources/read`, URI; `resources/list skill://` is the scoped list. */
  readonly answers: Readonly<Record<string, ProbeAnswer>>;
  readonly options?: RecognizeOptions;
  readonly dialect: DialectId | 'none';
  readonly state: RecognizedState;
  readonly verified?: Verified;
  /** Kinds of the probes, in order. */
  readonly probes: readonly string[];
}

export const extension = { 'io.modelcontextprotocol/skills': {} };
export const modern = { resources: {}, extensions: extension };
export const plain = { resources: { listChanged: true } };
export const named = { skills: { listChanged: true } };

export const results = (...pages: readonly unknown[]): ProbeAnswer => ({ kind: 'results', results: pages });
export const error = (code: number): ProbeAnswer => ({ kind: 'error', code });
export const silent: ProbeAnswer = { kind: 'silent' };
export const text = (content: string, uri = 'x'): ProbeAnswer => results({ contents: [{ uri, text: content }] });
export const document = (value: unknown): ProbeAnswer => text(JSON.stringify(value));
export const list = (...rows: readonly (string | object)[]): ProbeAnswer =>
  results({ resources: rows.map((row) => (typeof row === 'string' ? { uri: row, name: '' } : row)) });
export const markdown = (uri: string): object => ({ uri, name: uri, mimeType: 'text/markdown' });
export const templates = (...rows: readonly string[]): ProbeAnswer =>
  results({ resourceTemplates: rows.map((uriTemplate) => ({ uriTemplate, name: 'x' })) });

export const index = 'resources/read skill://index.json';
export const manifest = 'resources/read skill://git-workflow/_manifest';
export const groves = 'resources/read skill://index';
export const skillMd = gitWorkflowEntry.uri;

export const formA = { name: 'git-workflow', type: 'skill-md', description: 'd', url: skillMd };
export const formB = { frontmatter: gitWorkflowEntry.frontmatter, url: skillMd, digest: f1.digest };
export const formC = {
  uri: skillMd,
  frontmatter: gitWorkflowEntry.frontmatter,
  resources: [{ uri: skillMd, digest: f1.digest }],
};
export const archive = {
  ...formA,
  type: 'archive',
  url: 'skill://git-workflow.tar.gz',
  digest: `sha256:${'a'.repeat(64)}`,
};
export const fastmcpManifest = { skill: 'git-workflow', files: [{ path: 'SKILL.md', size: f1.size, hash: f1.digest }] };
export const namedSkills = results({ skills: [{ name: 'git-workflow', description: 'd', tags: ['git'] }] });
export const usage = { uri: 'skill://ipinfo/usage', name: 'ipinfo_skill' };

export const toIndex = ['skills-list', 'skill-index'];
export const toList = ['skill-index', 'resources-list'];
export const toEnd = [...toList, 'templates-list', 'scoped-list'];
