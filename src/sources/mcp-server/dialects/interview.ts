/**
 * Identifies the dialect of a server: sends the probes that `nextProbe()` names until there are none. It stores the answers, so that the
 * skills come from the documents that decided. If the server does not answer a probe, the next one is sent. A server that is gone or
 * requires credentials ends the interview.
 */
import { type Probe, type ProbeAnswer, type ProbeOutcome, probeRequest, readProbe } from '../../../dialects/probe.ts';
import {
  type DialectVerdict,
  nextProbe,
  type ProbeOutcomes,
  type RecognizeOptions,
  recognize,
} from '../../../dialects/recognize.ts';
import { decodeNextCursor, type NextCursor } from '../../../dialects/skills-extension/answer-fields.ts';
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { isJsonObject } from '../../../skill/json.ts';
import { walkPages } from '../page-walk.ts';
import { RpcError } from '../wire.ts';
import type { RequestServer } from './ask.ts';

/** Earlier probes and their outcomes. */
export type ProbeHistory = ProbeOutcomes['probes'];

export interface Interviewed {
  readonly capabilities: unknown;
  readonly instructions?: string | undefined;
}

export interface Interview extends Interviewed {
  readonly verdict: DialectVerdict;
  /** The pages of a probe; none if it was not sent or failed. */
  results(kind: Probe['kind']): readonly unknown[];
  /** Why a list is incomplete, as a phrase that follows "because". */
  readonly cut?: string;
}

export interface InterviewOptions {
  readonly ask: RequestServer;
  readonly server: Interviewed;
  readonly recognize: RecognizeOptions;
  readonly history: ProbeHistory;
  readonly signal: AbortSignal | undefined;
}

export async function interview({
  ask,
  server,
  recognize: rules,
  history,
  signal,
}: InterviewOptions): Promise<Interview> {
  const { capabilities, instructions } = server;
  const pages = new Map<Probe['kind'], readonly unknown[]>();
  let cut: string | undefined;
  let outcomes: ProbeOutcomes = { capabilities, instructions, probes: history };
  for (let probe = nextProbe(outcomes, rules); probe !== undefined; probe = nextProbe(outcomes, rules)) {
    const { outcome, results, reason } = await askProbe(ask, probe, signal);
    pages.set(probe.kind, results);
    cut ??= reason;
    outcomes = { ...outcomes, probes: [...outcomes.probes, { probe, outcome }] };
  }
  return { ...server, verdict: recognize(outcomes, rules), results: (kind) => pages.get(kind) ?? [], cut };
}

interface Heard {
  readonly outcome: ProbeOutcome;
  readonly results: readonly unknown[];
  readonly reason?: string;
}

async function askProbe(ask: RequestServer, probe: Probe, signal: AbortSignal | undefined): Promise<Heard> {
  const { method, params, paged } = probeRequest(probe);
  const deadlineMs = limits.dialects.probeMs;
  const failed = (answer: ProbeAnswer): Heard => ({ outcome: readProbe(probe, answer), results: [] });
  try {
    const { results, reason } = paged
      ? await allPages(ask, method, params, signal)
      : {
          results: [await ask(method, params, { maxBytes: limits.origin.pageBytes, signal, deadlineMs })],
          reason: undefined,
        };
    const outcome = readProbe(probe, { kind: 'results', results });
    return { outcome, results, reason };
  } catch (error) {
    if (error instanceof RpcError) return failed({ kind: 'error', code: error.code });
    if (!(error instanceof SkillwireError)) throw error;
    if (error.code === 'TIMED_OUT') return failed({ kind: 'silent' });
    if (error.code !== 'BAD_ANSWER' && error.code !== 'VERIFICATION_FAILED') throw error;
    return { outcome: { kind: 'failed', why: `had an unusable answer (${error.message})` }, results: [] };
  }
}

type Page = NextCursor & { readonly result: unknown };

/** All pages of a list, and why it is incomplete. */
export async function allPages(
  ask: RequestServer,
  method: string,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
): Promise<{ readonly results: readonly unknown[]; readonly reason: string | undefined }> {
  const results: unknown[] = [];
  const seen = new Set<string>();
  const reason = await walkPages<Page>({
    deadlineMs: limits.dialects.probeMs,
    signal,
    async fetch({ cursor, maxBytes, deadlineMs }) {
      const result = await ask(method, cursor === undefined ? params : { ...params, cursor }, {
        maxBytes,
        deadlineMs,
        signal,
      });
      return { result, ...(isJsonObject(result) ? decodeNextCursor(result) : {}) };
    },
    take({ result }) {
      results.push(result);
      const before = seen.size;
      for (const key of rowKeys(result)) seen.add(key);
      return seen.size - before;
    },
  });
  return { results, reason };
}

/** Keys that distinguish the rows of a list. */
function rowKeys(result: unknown): readonly string[] {
  if (!isJsonObject(result)) return [];
  const rows = [result['resources'], result['resourceTemplates'], result['skills']].find((list) => Array.isArray(list));
  return (Array.isArray(rows) ? rows : []).flatMap((row: unknown) =>
    isJsonObject(row) ? [JSON.stringify([row['uri'], row['uriTemplate'], row['name']])] : [],
  );
}
