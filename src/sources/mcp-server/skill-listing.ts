/**
 * `skills/list` of one server, as pages of the port. Of entries with the same URI the first counts; later ones are
 * refused.
 */
import { decodeListPage, type ListPage } from '../../dialects/skills-extension/decode-skills.ts';
import type { Remark } from '../../dialects/skills-extension/remark.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { RefusedEntry, SourceSkill } from '../skill-source.ts';
import type { TimedPage } from './listing.ts';
import { createFindings } from './origin-findings.ts';
import { walkPages } from './page-walk.ts';
import { decodingTurn, type Wire, type WireRequestOptions } from './wire.ts';

export interface ServerSkillListing {
  readonly rules: Wire['rules'];
  readonly request: (params: Readonly<Record<string, unknown>>, options: WireRequestOptions) => Promise<unknown>;
  readonly deadlineMs: number;
  /** Remarks from before the first page. */
  readonly remarks: readonly Remark[];
  readonly onRemark?: (remark: Remark) => void;
}

const dialect = 'skills-extension';

/** Emits each page; true if the listing is complete. */
export async function listSkills(
  { rules, request, deadlineMs, remarks, onRemark }: ServerSkillListing,
  give: (page: TimedPage) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const findings = createFindings();
  const seen = new Set<string>();
  let refusals = 0;
  let tooMany = false;

  function report(remark: Remark): void {
    findings.remark(remark);
    onRemark?.(remark);
  }

  function take(page: ListPage): number {
    const skills: SourceSkill[] = [];
    const refused: RefusedEntry[] = page.refused.map((entry) => ({
      ...entry,
      faults: entry.faults.map(({ message }) => message),
    }));
    const { ttlMs, cacheScope } = page;
    for (const skill of page.skills) {
      const { uri, frontmatter } = skill.entry;
      if (seen.has(uri))
        refused.push({
          uri,
          name: frontmatter.name,
          faults: [`uri ${quoteText(uri)} is listed twice; the first is used`],
        });
      else skills.push({ ...skill, listed: true, ttlMs, cacheScope });
      seen.add(uri);
    }
    for (const entry of refused) findings.refused(entry);
    for (const remark of page.remarks) report(remark);
    refusals += refused.length;
    tooMany = refusals > limits.origin.refused;
    give({ page: { skills, findings: findings.take(), refused, dialect }, freshUntil: performance.now() + ttlMs });
    return skills.length;
  }

  for (const remark of remarks) report(remark);
  const reason = await walkPages<ListPage>({
    deadlineMs,
    signal,
    take,
    async fetch({ cursor, ...options }) {
      if (tooMany) throw new Error(`more than ${limits.origin.refused} entries cannot be used`);
      const result = await request({ cursor }, { ...options, signal });
      await decodingTurn();
      return decodeListPage(result, rules);
    },
  });
  if (reason === undefined) return true;
  findings.cut(reason);
  give({ page: { skills: [], findings: findings.take(), refused: [], dialect }, freshUntil: 0 });
  return false;
}
