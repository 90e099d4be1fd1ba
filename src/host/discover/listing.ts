/**
 * Reads the whole listing of one origin: each page within the deadline of a call, all pages within that of a listing.
 * It never reads a file (SEP-2640: H-37). An interrupted listing keeps what arrived and is marked as partial; a partial
 * or empty listing does not mean that there is nothing else (H-22).
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { Finding } from '../../skill/finding.ts';
import type { RefusedEntry, SourcePage, SourceSkill, SourceStatus } from '../../sources/skill-source.ts';
import { callOrigin } from './call-origin.ts';
import type { HostOrigin, Origins } from './origins.ts';

export interface Listing {
  readonly skills: readonly SourceSkill[];
  readonly refused: readonly RefusedEntry[];
  readonly findings: readonly Finding[];
  readonly status?: SourceStatus;
  /** Why the listing is partial. */
  readonly cut?: SkillwireError;
  /** When it was read, and how long it is valid. */
  readonly at: number;
  readonly ttlMs: number;
}

export interface ReadListingOptions {
  readonly signal?: AbortSignal | undefined;
  readonly fresh?: boolean;
}

/** @throws SkillwireError if nothing arrived */
export async function readListing(
  origins: Origins,
  origin: HostOrigin,
  { signal, fresh = false }: ReadListingOptions,
): Promise<Listing> {
  const { source, label } = origin;
  const action = `list the skills of ${quoteText(label)}`;
  const at = Date.now();
  const status = await origins.call(origin, { action, signal, fresh }, async (context) => source.status?.(context));
  const skills = new Map<string, SourceSkill>();
  const refused: RefusedEntry[] = [];
  const findings: Finding[] = [];
  let dialect: string | undefined;
  const take = (page: SourcePage): void => {
    findings.push(...page.findings);
    refused.push(...(page.refused ?? []));
    if (page.dialect !== undefined) dialect = page.dialect;
    for (const skill of page.skills) {
      const { uri, frontmatter } = skill.entry;
      if (skills.has(uri)) refused.push({ uri, name: frontmatter.name, faults: ['the listing has this URI twice'] });
      else if (skill.listed) skills.set(uri, skill);
    }
  };
  let cut: SkillwireError | undefined;
  try {
    await callOrigin({ action, label, timeoutMs: limits.host.listingMs, signal }, async (whole) => {
      const pages = source.list({ signal: whole, fresh })[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await origins.call(origin, { action, signal: whole }, () => pages.next());
          if (next.done === true) return;
          take(next.value);
          if (skills.size > limits.host.listedSkills) throw tooMany(label);
        }
      } finally {
        // Not awaited: a source that hangs in a page returns later, and its failure says nothing new.
        pages.return?.().catch(() => undefined);
      }
    });
  } catch (error) {
    const nothing = skills.size + refused.length === 0;
    if (nothing || !(error instanceof SkillwireError) || error.code === 'INTERRUPTED') throw error;
    cut = error;
  }
  const listed = [...skills.values()];
  return {
    skills: listed,
    refused,
    findings,
    status: status === undefined ? undefined : dialect === undefined ? status : { ...status, dialect },
    cut,
    at,
    ttlMs: cut === undefined ? shortestTtl(listed) : 0,
  };
}

function shortestTtl(skills: readonly SourceSkill[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { ttlMs = 0 } of skills) least = Math.min(least, ttlMs);
  return Number.isFinite(least) ? least : 0;
}

function tooMany(label: string): SkillwireError {
  const message = `${quoteText(label)} lists more than ${limits.host.listedSkills} skills. The others are not shown; use their URIs.`;
  return new SkillwireError('LIMIT_EXCEEDED', message, { data: { label } });
}
