/**
 * Lists the skills of a site in the order of its index. Several are fetched at the same time, and a page is yielded as soon as there is
 * something to report. A skill that cannot be used, cannot be fetched or fails verification is refused alone. A site that stops responding,
 * or exceeds the byte limit, cuts the listing short. Both are reported, so a cut listing never passes as complete.
 */
import type { RefusedIndexEntry } from '../../dialects/well-known/decode-index.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { skillFileUri } from '../../skill/skill-uri.ts';
import type { RefusedEntry, SourceContext, SourcePage, SourceSkill } from '../skill-source.ts';
import type { SiteIndex } from './find-index.ts';
import type { LoadedSiteSkill } from './site-skills.ts';

export type IndexEntry = SiteIndex['decoded']['entries'][number];

export interface SiteListing {
  index(): Promise<SiteIndex>;
  load(index: SiteIndex, entry: IndexEntry): Promise<LoadedSiteSkill>;
  /** The skill with its cache lifetime. */
  timed(loaded: LoadedSiteSkill, index: SiteIndex): SourceSkill;
  /** Whether skills get digests of the fetched copy if the site promises none. */
  readonly ownDigests: boolean;
  /** All bytes fetched so far. */
  fetched(): number;
  readonly listingBytes: number;
}

interface Page {
  readonly skills: SourceSkill[];
  readonly findings: Finding[];
  readonly refused: RefusedEntry[];
}

export async function* listSite(site: SiteListing, { signal }: SourceContext): AsyncGenerator<SourcePage> {
  const index = await site.index();
  const { entries, version } = index.decoded;
  const began = site.fetched();
  const running: Running[] = [];
  let next = 0;
  let failures = 0;
  let page = firstPage(index, site.ownDigests && version !== '0.2.0');

  function take({ entry, outcome }: Settled): SkillwireError | undefined {
    if (!('error' in outcome)) {
      failures = 0;
      page.skills.push(site.timed(outcome.loaded, index));
      page.findings.push(...outcome.loaded.findings);
      return undefined;
    }
    const { error } = outcome;
    if (!(error instanceof SkillwireError) || error.code === 'INTERRUPTED' || error.code === 'CLOSED') throw error;
    page.refused.push(refusedEntry(entry, error));
    page.findings.push(refusedFinding(entry.name, error));
    if (isSilence(error)) page.findings.push(notFetched(entry.name, error));
    failures = isSilence(error) ? failures + 1 : 0;
    return failures >= limits.site.silences ? error : undefined;
  }

  for (let isLast = false; !isLast; page = { skills: [], findings: [], refused: [] }) {
    signal?.throwIfAborted();
    const within = site.fetched() - began <= site.listingBytes;
    while (within && next < entries.length && running.length < limits.site.window) {
      const entry = entries[next++];
      if (entry !== undefined) running.push(watched(entry, site.load(index, entry)));
    }
    await running[0]?.done;
    let failure: SkillwireError | undefined;
    for (let one = running[0]; one !== undefined && isSettled(one); one = running[0]) {
      running.shift();
      failure = take(one) ?? failure;
    }
    isLast = running.length === 0 && (next >= entries.length || !within);
    if (isLast && next < entries.length) page.findings.push(tooMuch(site.listingBytes, entries.length - next));
    yield page;
    if (failure !== undefined) throw failure;
  }
}

/** Findings about the index itself and its unusable entries. */
function firstPage({ decoded, findings }: SiteIndex, unverified: boolean): Page {
  const { refused, entries } = decoded;
  const message = 'the site promises no digests; the served digests are those of the fetched copy';
  return {
    skills: [],
    findings: [
      ...findings,
      ...refused.map(unusableFinding),
      ...(unverified && entries.length > 0 ? [finding('site-unverified', message)] : []),
    ],
    refused: refused.map(({ name, faults }) => ({
      name,
      faults: faults.map((fault) => fault.message),
      requirement: faults[0]?.requirement,
    })),
  };
}

function unusableFinding({ name = '(no name)', faults }: RefusedIndexEntry): Finding {
  const why = faults[0]?.message ?? 'no reason';
  return finding('origin-entry-refused', `cannot use the entry "${displayText(name)}": ${why}`);
}

/** A skill that is loading. */
interface Running {
  readonly entry: IndexEntry;
  /** Never fails. */
  readonly done: Promise<void>;
  outcome: Outcome | undefined;
}

type Outcome = { readonly loaded: LoadedSiteSkill } | { readonly error: unknown };
type Settled = Running & { readonly outcome: Outcome };

function watched(entry: IndexEntry, work: Promise<LoadedSiteSkill>): Running {
  const running: Running = {
    entry,
    outcome: undefined,
    done: work.then(
      (loaded) => {
        running.outcome = { loaded };
      },
      (error: unknown) => {
        running.outcome = { error };
      },
    ),
  };
  return running;
}

function isSettled(running: Running): running is Settled {
  return running.outcome !== undefined;
}

function isSilence({ code }: SkillwireError): boolean {
  return code === 'TIMED_OUT' || code === 'UNREACHABLE';
}

function refusedEntry({ name }: IndexEntry, { code, message, data }: SkillwireError): RefusedEntry {
  const requirement = typeof data['requirement'] === 'string' ? data['requirement'] : undefined;
  return { uri: skillFileUri(name, skillFileName), name, faults: [message], code, requirement };
}

function refusedFinding(name: string, { message }: SkillwireError): Finding {
  return finding('origin-entry-refused', message, { skill: skillFileUri(name, skillFileName) });
}

function notFetched(name: string, { message }: SkillwireError): Finding {
  return finding('origin-listing-cut', `the skill "${displayText(name)}" could not be fetched: ${message}`);
}

function tooMuch(bytes: number, left: number): Finding {
  const message = `the listing stopped after ${bytes} bytes; ${left} more skills of the index are available by URI`;
  return finding('origin-listing-cut', message);
}
