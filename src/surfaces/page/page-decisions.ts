/**
 * Decisions about skills on the page. Each is bound to the shown set of digests: if the skill changed meanwhile, nothing is decided (sec:V-8).
 */
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { PolicyError, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { dataAt } from '../routes.ts';
import { bodyOf, doneAnswer, textField } from './json-answer.ts';
import type { Decider, PageOrigins, PagePins, PageReview, VersionDecision } from './page-ports.ts';
import { approvePlan } from './page-queue.ts';
import type { ApiCall, ApiRoute } from './page-request.ts';
import type { PageIndex } from './skill-index.ts';

export interface DecisionContext {
  readonly origins: PageOrigins;
  readonly review: PageReview;
  /** Set if readers have profiles: they can disable skills, but not origins. */
  readonly within?: unknown;
  find(uri: string, call: ApiCall): Promise<SkillRecord>;
  indexOf(call: ApiCall): Promise<PageIndex>;
  /** Absent if the server has no live skills that can be pinned. */
  readonly pins?: PagePins | undefined;
}

const uriCharacters = 4_096;

export function decisionRoutes(context: DecisionContext): Readonly<Record<string, ApiRoute>> {
  const { origins, review, within, find, indexOf, pins } = context;

  /** The skill of the request and the comment on it. */
  async function about(call: ApiCall) {
    const body = bodyOf(call.request);
    return { body, skill: await find(textField(body, 'uri', uriCharacters), call), reason: reasonIn(body) };
  }

  async function pinnable(call: ApiCall) {
    const { body, skill, reason } = await about(call);
    if (pins?.pinOf(skill) === undefined)
      throw new SkillwireError(
        'USAGE',
        `${quoteText(skill.entry.uri)} is not live, so it cannot be pinned. Choose a live skill.`,
      );
    return { pins, skill, body, who: { ...whoIs(call), reason } };
  }

  async function decisionIn(call: ApiCall): Promise<VersionDecision> {
    const body = bodyOf(call.request);
    const skill = await find(textField(body, 'uri', uriCharacters), call);
    const shown = textField(body, 'setDigest', 200);
    const now = await review.setDigest(skill);
    if (now === undefined) throw cannotBind(skill);
    if (now !== shown) throw changedMeanwhile(skill, shown, now);
    return {
      skill,
      setDigest: shown,
      reason: reasonIn(body),
      execution: body.execution === true,
      allowedTools: body.allowedTools === true,
      who: whoIs(call),
    };
  }

  const deciding =
    (decide: (call: ApiCall) => Promise<unknown>): ApiRoute =>
    async (call) => {
      const result = (await decide(call)) ?? { done: true };
      const confirmation = await review.confirmation();
      return doneAnswer(confirmation === undefined ? result : { ...result, confirmation });
    };

  return {
    [dataAt('approve')]: deciding(async (call) => review.approve(await decisionIn(call))),
    [dataAt('deny')]: deciding(async (call) => review.deny(await decisionIn(call))),
    [dataAt('approve-all')]: deciding(async (call) => {
      const body = bodyOf(call.request);
      const filter = {
        text: textField({ q: '', ...body }, 'q', limits.search.queryCharacters),
        origin: textField({ origin: '', ...body }, 'origin', uriCharacters),
        plan: textField(body, 'plan', 200),
      };
      const who = { ...whoIs(call), reason: reasonIn(body) };
      return approvePlan(await indexOf(call), call, filter, who, { origins, review });
    }),
    [dataAt('revoke')]: deciding(async (call) => {
      const { skill, reason } = await about(call);
      return { done: await review.revoke(skill, { ...whoIs(call), reason }) };
    }),
    [dataAt('pin')]: deciding(async (call) => {
      const { pins: own, skill, body, who } = await pinnable(call);
      const span = Object.hasOwn(body, 'for') ? textField(body, 'for', 20) : undefined;
      return { done: true, missing: await own.pin(skill, span, who, call.request.signal) };
    }),
    [dataAt('unpin')]: deciding(async (call) => {
      const { pins: own, skill, who } = await pinnable(call);
      return { done: await own.unpin(skill, who) };
    }),
    [dataAt('enable')]: deciding(async (call) => {
      const body = bodyOf(call.request);
      if (typeof body.enabled !== 'boolean') throw new SkillwireError('USAGE', '"enabled" must be true or false');
      if (!Object.hasOwn(body, 'uri') && within !== undefined)
        throw new SkillwireError(
          'USAGE',
          'You cannot disable an origin here. Ask the operator to run "skillwire disable".',
        );
      if (!Object.hasOwn(body, 'uri'))
        return review.setEnabled(textField(body, 'origin', uriCharacters), body.enabled, whoIs(call));
      const skill = await find(textField(body, 'uri', uriCharacters), call);
      return review.setEnabled(skill, body.enabled, whoIs(call));
    }),
  };
}

function reasonIn(body: Readonly<Record<string, unknown>>): string {
  return textField({ reason: '', ...body }, 'reason', limits.page.reasonCharacters);
}

function whoIs({ session: { name, subject } }: ApiCall): Decider {
  return { name, subject };
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
