/**
 * `GET /api/queue`: the skills that wait for approval, filtered and paged, and the newest decisions. One digest binds an approval of all
 * shown skills to exactly these versions; `POST /api/approve-all` computes it again and decides nothing if it differs.
 */
import { inParallel } from '../../async/in-parallel.ts';
import { nextTurn } from '../../async/slices.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { PolicyError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type PlannedVersion, planDigest } from '../../serving/approval-plan.ts';
import type { PageOrigins, PageReview, PageStanding, ReasonedDecider } from './page-ports.ts';
import type { ApiCall } from './page-request.ts';
import type { PlanResult, QueueData, QueueRow } from './review-data.ts';
import { bitsOf } from './skill-facets.ts';
import type { IndexedPageSkill, PageIndex } from './skill-index.ts';
import { agentsGet, standingData } from './skill-rows.ts';

export interface QueueContext {
  readonly origins: PageOrigins;
  readonly review: PageReview;
}

export interface QueueFilter {
  /** Words that must all occur. */
  readonly text: string;
  readonly origin: string;
}

export interface QueuePage extends QueueFilter {
  readonly offset: number;
  readonly limit: number;
}

type Snapshots = Pick<ApiCall, 'snapshot' | 'served'>;

const waitingBit = bitsOf(['waiting']);
const scriptsBit = bitsOf(['scripts']);
const decidedBits = [bitsOf(['approved']), bitsOf(['denied'])];

/** Changed skills first, because agents still get an older version of them; then those with scripts. */
function inUrgency(skills: readonly IndexedPageSkill[], standingOf: (skill: SkillRecord) => PageStanding) {
  const urgency = ({ skill, facets }: IndexedPageSkill): number =>
    (standingOf(skill).approved === 'changed' ? 2 : 0) + ((facets & scriptsBit) === 0 ? 0 : 1);
  return [...skills].sort((a, b) => urgency(b) - urgency(a));
}

function waitingIn({ skills }: PageIndex, { text, origin }: QueueFilter): readonly IndexedPageSkill[] {
  const words = text.toLowerCase().split(/\s+/);
  return skills.filter(({ skill, name, facets, origin: own }) => {
    if ((facets & waitingBit) === 0 || (origin !== '' && own !== origin)) return false;
    const hay = `${name} ${skill.entry.uri} ${own} ${skill.entry.frontmatter.description}`.toLowerCase();
    return words.every((word) => hay.includes(word));
  });
}

interface Planned {
  readonly skill: SkillRecord;
  readonly version: PlannedVersion;
}

/** The versions that one answer approves: the first of the queue, as far as they can be verified. */
async function planOf(
  waiting: readonly IndexedPageSkill[],
  { origins, review }: QueueContext,
): Promise<{ readonly planned: readonly Planned[]; readonly digest: string }> {
  const planned: Planned[] = [];
  for (const { skill } of waiting.slice(0, limits.page.skills)) {
    const setDigest = await review.setDigest(skill);
    if (setDigest === undefined) continue;
    const uri = origins.uriOf?.(skill) ?? skill.entry.uri;
    planned.push({ skill, version: { label: origins.labelOf(skill), uri, setDigest } });
    if (planned.length % 200 === 0) await nextTurn();
  }
  const digest = await planDigest(
    planned.map(({ version }) => version),
    { execution: false, allowedTools: false },
  );
  return { planned, digest };
}

export async function queueOf(
  index: PageIndex,
  snapshots: Snapshots,
  page: QueuePage,
  context: QueueContext,
): Promise<QueueData> {
  const { review } = context;
  const standingOf = await review.standings(snapshots.snapshot);
  const rowOf = async (skill: SkillRecord): Promise<QueueRow> => {
    const standing = standingOf(skill);
    const { uri, name, origin, scripts, tools, files, bytes } = index.rowOf(skill);
    const [setDigest, change] = [await review.setDigest(skill), review.changeSize(skill)];
    const { approval } = standing;
    const signature = review.signature(skill);
    const got = agentsGet(skill, snapshots.served);
    const facts = { uri, name, origin, scripts, tools, files, bytes, agentsGet: got, setDigest, approval };
    return {
      ...facts,
      ...standingData(standing),
      signature,
      change,
    };
  };
  const all = index.skills.filter(({ facets }) => (facets & waitingBit) !== 0);
  const waiting = inUrgency(waitingIn(index, page), standingOf);
  const plan = await planOf(waiting, context);
  const decided = index.skills
    .filter(({ facets }) => decidedBits.some((bit) => (facets & bit) !== 0))
    .map(({ skill }) => ({ skill, at: standingOf(skill).approval?.at ?? '' }))
    .filter(({ at }) => at !== '')
    .sort((a, b) => (a.at < b.at ? 1 : -1));
  const planned = new Set(plan.planned.map(({ skill }) => skill));
  return {
    waiting: await Promise.all(waiting.slice(page.offset, page.offset + page.limit).map(({ skill }) => rowOf(skill))),
    offset: page.offset,
    total: waiting.length,
    all: all.length,
    ...(planned.size === 0 ? {} : { plan: { digest: plan.digest, skills: planned.size } }),
    withScripts: waiting.filter(({ skill, facets }) => planned.has(skill) && (facets & scriptsBit) !== 0).length,
    origins: [...new Set(all.map(({ origin }) => origin))].sort(),
    decided: await Promise.all(decided.slice(0, limits.page.rows).map(({ skill }) => rowOf(skill))),
    decidedTotal: decided.length,
  };
}

/** @throws PolicyError NOT_APPROVED if the waiting skills are other than those of the plan */
export async function approvePlan(
  index: PageIndex,
  { snapshot }: Pick<ApiCall, 'snapshot'>,
  filter: QueueFilter & { readonly plan: string },
  { reason, ...who }: ReasonedDecider,
  context: QueueContext,
): Promise<PlanResult> {
  const { review } = context;
  const waiting = inUrgency(waitingIn(index, filter), await review.standings(snapshot));
  const { planned, digest } = await planOf(waiting, context);
  if (digest !== filter.plan || planned.length === 0)
    throw new PolicyError('NOT_APPROVED', 'Nothing was approved: the waiting skills changed. Review them again.', {
      data: { shown: filter.plan, now: digest },
    });
  const failed: { readonly uri: string; readonly message: string }[] = [];
  // All are verified first: after each recorded approval, the next read would judge every skill of the server again.
  const prepared = await inParallel(planned, limits.page.approvals, async ({ skill, version: { setDigest } }) => {
    try {
      return await review.prepareApproval({ skill, setDigest, reason, execution: false, allowedTools: false, who });
    } catch (error) {
      // Others are still approved: each approval is bound to its own files.
      if (!(error instanceof PolicyError)) throw error;
      failed.push({ uri: skill.entry.uri, message: error.message });
      return undefined;
    }
  });
  await inParallel(prepared, limits.page.approvals, async (record) => record?.());
  return { approved: planned.length - failed.length, failed };
}
