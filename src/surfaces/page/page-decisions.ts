/**
 * Decisions about skills on the page. Each is bound to the shown set of digests: if the skill changed meanwhile, nothing is decided (sec:V-8).
 * Also lists the skills that wait for a decision.
 */
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { PolicyError, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { dataAt } from '../routes.ts';
import { bodyOf, doneAnswer, textField } from './json-answer.ts';
import type { QueueData, QueueRow } from './page-data.ts';
import type { Decider, Decision, PageOrigins, PageReview } from './page-ports.ts';
import type { ApiCall, ApiRoute } from './page-request.ts';
import { agentsGet, standingData } from './skill-rows.ts';

export interface DecisionContext {
  readonly origins: PageOrigins;
  readonly review: PageReview;
  /** Set if readers have profiles: they can disable skills, but not origins. */
  readonly within?: unknown;
  find(uri: string, call: ApiCall): Promise<SkillRecord>;
}

const uriCharacters = 4_096;

export function decisionRoutes({ review, within, find }: DecisionContext): Readonly<Record<string, ApiRoute>> {
  async function decisionIn(call: ApiCall): Promise<Decision> {
    const body = bodyOf(call.request);
    const skill = await find(textField(body, 'uri', uriCharacters), call);
    const shown = textField(body, 'setDigest', 200);
    const now = await review.setDigest(skill);
    if (now === undefined) throw cannotBind(skill);
    if (now !== shown) throw changedMeanwhile(skill, shown, now);
    return {
      skill,
      setDigest: shown,
      reason: textField({ reason: '', ...body }, 'reason', limits.page.reasonCharacters),
      execution: body.execution === true,
      allowedTools: body.allowedTools === true,
      who: whoIs(call),
    };
  }

  const deciding =
    (decide: (call: ApiCall) => Promise<unknown>): ApiRoute =>
    async (call) => {
      const result = await decide(call);
      return doneAnswer(result ?? { done: true });
    };

  return {
    [dataAt('approve')]: deciding(async (call) => review.approve(await decisionIn(call))),
    [dataAt('deny')]: deciding(async (call) => review.deny(await decisionIn(call))),
    [dataAt('revoke')]: deciding(async (call) => {
      const body = bodyOf(call.request);
      const skill = await find(textField(body, 'uri', uriCharacters), call);
      const reason = textField({ reason: '', ...body }, 'reason', limits.page.reasonCharacters);
      return { done: await review.revoke(skill, { ...whoIs(call), reason }) };
    }),
    [dataAt('enable')]: deciding(async (call) => {
      const body = bodyOf(call.request);
      if (typeof body.enabled !== 'boolean') throw new SkillwireError('USAGE', '"enabled" must be true or false');
      if (!Object.hasOwn(body, 'uri') && within !== undefined)
        throw new SkillwireError('USAGE', 'Only the operator can disable an origin, with "skillwire disable".');
      if (!Object.hasOwn(body, 'uri'))
        return review.setEnabled(textField(body, 'origin', uriCharacters), body.enabled, whoIs(call));
      const skill = await find(textField(body, 'uri', uriCharacters), call);
      return review.setEnabled(skill, body.enabled, whoIs(call));
    }),
  };
}

function whoIs({ session: { name } }: ApiCall): Decider {
  return name === undefined ? {} : { name };
}

function changedMeanwhile({ entry }: SkillRecord, shown: string, now: string): PolicyError {
  return new PolicyError(
    'NOT_APPROVED',
    `Nothing was decided: ${quoteText(entry.uri)} changed since it was shown. Review it again.`,
    { data: { uri: entry.uri, shown, now } },
  );
}

function cannotBind({ entry }: SkillRecord): PolicyError {
  return new PolicyError(
    'NOT_APPROVED',
    `Live skills such as ${quoteText(entry.uri)} cannot be approved, because they have no digests. Pin it first.`,
    { data: { uri: entry.uri } },
  );
}

/** Skills that wait for a decision, changed ones first, and decided ones. */
export async function queueOf(
  { snapshot, served }: Pick<ApiCall, 'snapshot' | 'served'>,
  { origins, review }: Pick<DecisionContext, 'origins' | 'review'>,
): Promise<QueueData> {
  const standingOf = await review.standings(snapshot);
  const waiting: QueueRow[] = [];
  const decided: QueueRow[] = [];
  for (const skill of snapshot.skills) {
    const standing = standingOf(skill);
    const { state, approved, approval } = standing;
    if (approved === 'unverifiable') continue;
    const isOpen = approved !== 'yes' && approval?.state !== 'denied' && state !== 'denied';
    const rows = isOpen ? waiting : decided;
    // Changed skills are few and never omitted.
    if (rows.length >= limits.page.skills && approved !== 'changed') continue;
    const setDigest = await review.setDigest(skill);
    rows.push({
      uri: skill.entry.uri,
      name: skill.entry.frontmatter.name,
      origin: origins.labelOf(skill),
      ...standingData(standing),
      agentsGet: agentsGet(skill, served),
      setDigest,
      ...review.traits(skill),
      approval,
    });
  }
  const urgency = ({ approved, scripts }: QueueRow): number => (approved === 'changed' ? 2 : 0) + (scripts > 0 ? 1 : 0);
  waiting.sort((a, b) => urgency(b) - urgency(a));
  return { waiting, decided };
}
