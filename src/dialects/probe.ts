/**
 * The requests that find out what a server speaks. `probeRequest()` builds a request, `readProbe()` reduces its answer
 * to the facts that `recognize.ts` needs. Nothing here sends anything.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type DialectReading, type Verified, weakest } from './dialect-skill.ts';
import { decodeManifest, manifestUri } from './fastmcp/manifest.ts';
import { decodeReadDocument, decodeReadText } from './read-text.ts';
import { decodeResourcePage, type ListedResource, scopedListParams } from './resource-list/decode-resources-list.ts';
import { decodeTemplatePage } from './resource-templates/skill-templates.ts';
import { decodeNamedPage } from './sep-2076/decode-named.ts';
import { decodeSkillIndex, skillIndexUri } from './skill-index/decode-index.ts';
import { decodeListPage } from './skills-extension/decode-skills.ts';
import { decodeGrovesIndex, skillTextFault } from './skills-over-mcp/groves-index.ts';
import { grovesIndexUri } from './skills-over-mcp/groves-uris.ts';

export type Probe =
  /** `skills/list` of the final extension, all pages. */
  | { readonly kind: 'skills-list' }
  | { readonly kind: 'skill-index' }
  /** `skills/list` of SEP-2076, all pages. */
  | { readonly kind: 'named-list' }
  | { readonly kind: 'resources-list' }
  | { readonly kind: 'fastmcp-manifest'; readonly skillUri: string }
  | { readonly kind: 'groves-index' }
  | { readonly kind: 'templates-list' }
  | { readonly kind: 'mentioned-skill'; readonly uri: string }
  | { readonly kind: 'scoped-list' };

export interface ProbeRequest {
  readonly method: 'skills/list' | 'resources/list' | 'resources/templates/list' | 'resources/read';
  readonly params: Readonly<Record<string, string>>;
  /** There may be more pages, requested with `cursor`. */
  readonly paged: boolean;
}

export function probeRequest(probe: Probe): ProbeRequest {
  const read = (uri: string): ProbeRequest => ({ method: 'resources/read', params: { uri }, paged: false });
  switch (probe.kind) {
    case 'skills-list':
    case 'named-list':
      return { method: 'skills/list', params: {}, paged: true };
    case 'resources-list':
      return { method: 'resources/list', params: {}, paged: true };
    case 'scoped-list':
      return { method: 'resources/list', params: scopedListParams, paged: true };
    case 'templates-list':
      return { method: 'resources/templates/list', params: {}, paged: true };
    case 'skill-index':
      return read(skillIndexUri);
    case 'groves-index':
      return read(grovesIndexUri);
    case 'fastmcp-manifest':
      return read(manifestUri(probe.skillUri));
    case 'mentioned-skill':
      return read(probe.uri);
  }
}

/** `silent`: no answer within the deadline. Worse failures abort the reading and do not concern dialects. */
export type ProbeAnswer =
  | { readonly kind: 'results'; readonly results: readonly unknown[] }
  | { readonly kind: 'error'; readonly code: number }
  | { readonly kind: 'silent' };

export type ProbeOutcome =
  | {
      readonly kind: 'failed';
      /** The JSON-RPC code, if the server answered with an error. */
      readonly code?: number;
      /** A phrase to follow the name of the request. */
      readonly why: string;
    }
  | {
      readonly kind: 'skills';
      readonly usable: number;
      readonly refused: number;
      readonly verified: Verified;
      readonly templates: number;
    }
  | { readonly kind: 'resources'; readonly resources: readonly ListedResource[] };

/** Reduces an answer to an outcome. Never throws for data from a server. */
export function readProbe(probe: Probe, answer: ProbeAnswer): ProbeOutcome {
  if (answer.kind === 'silent') return { kind: 'failed', why: 'was not answered in time' };
  if (answer.kind === 'error')
    return { kind: 'failed', code: answer.code, why: `was answered with error ${answer.code}` };
  try {
    return readResults(probe, answer.results);
  } catch (error) {
    if (error instanceof SkillwireError) return { kind: 'failed', why: `had an unusable answer (${error.message})` };
    throw error;
  }
}

const lenient = { cacheFields: false, resultType: false };
const maxBytes = limits.origin.pageBytes;

function readResults(probe: Probe, results: readonly unknown[]): ProbeOutcome {
  const [first] = results;
  switch (probe.kind) {
    case 'skills-list': {
      const pages = results.map((page) => decodeListPage(page, lenient));
      const entries = pages.flatMap(({ skills }) => skills.map(({ entry }) => entry));
      const verified = entries.map((entry) => ({
        verified: entry.resources === 'dynamic' ? ('none' as const) : ('full' as const),
      }));
      return counted(entries.length, sum(pages.map(({ refused }) => refused.length)), weakest(verified));
    }
    case 'named-list':
      return ofReadings(results.map((page) => decodeNamedPage(page)));
    case 'skill-index': {
      const index = decodeSkillIndex(decodeReadDocument(first, skillIndexUri, maxBytes));
      return { ...ofReadings([index]), templates: index.templates.length };
    }
    case 'groves-index':
      return ofReadings([decodeGrovesIndex(decodeReadDocument(first, grovesIndexUri, maxBytes))]);
    case 'fastmcp-manifest': {
      const document = decodeReadDocument(first, manifestUri(probe.skillUri), maxBytes);
      const { files, refused, verified } = decodeManifest(document, probe.skillUri);
      return counted(files.length > 0 ? 1 : 0, refused.length, verified);
    }
    case 'templates-list': {
      const pages = results.map((page) => decodeTemplatePage(page));
      const templates = sum(pages.map((page) => page.templates.length));
      return { ...counted(0, sum(pages.map(({ refused }) => refused.length)), 'none'), templates };
    }
    case 'resources-list':
    case 'scoped-list':
      return { kind: 'resources', resources: results.flatMap((page) => decodeResourcePage(page).resources) };
    case 'mentioned-skill': {
      const fault = skillTextFault(decodeReadText(first, probe.uri, limits.host.skillMdBytes));
      return fault === undefined ? counted(1, 0, 'none') : { kind: 'failed', why: `had a text that ${fault}` };
    }
  }
}

type Counted = Extract<ProbeOutcome, { readonly kind: 'skills' }>;

function counted(usable: number, refused: number, verified: Verified): Counted {
  return { kind: 'skills', usable, refused, verified, templates: 0 };
}

function ofReadings(readings: readonly DialectReading[]): Counted {
  const skills = readings.flatMap((reading) => reading.skills);
  return counted(skills.length, sum(readings.map(({ refused }) => refused.length)), weakest(skills));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
