/** Plans that `-y` never accepts, row by row. Tests of the command check that it overwrites no edit and makes nothing executable. */
import { describe, expect, test } from 'vitest';
import { type NamedOrigin, originDefaults, usersWord } from '../../origins/named-origin.ts';
import type { InstallOffer } from '../../sync/install-decision.ts';
import { type PlanFacts, type PlanRefusal, planRefusals, refusedPlan } from './accepted-plan.ts';

const origin: NamedOrigin = {
  ...originDefaults,
  label: 'docs',
  location: { kind: 'folder', path: '/docs' },
  from: 'argument',
  trust: usersWord,
};

/** Only the parts that the table reads. */
function offer(name: string, more: Partial<InstallOffer> = {}): InstallOffer {
  return { name, hidden: false, skill: { captured: { label: 'docs' } }, ...more } as unknown as InstallOffer;
}

const plan: PlanFacts = {
  offers: [offer('a'), offer('b')],
  origins: [origin],
  typed: new Set(['docs']),
  setting: 'open',
};

const refused: Readonly<Record<PlanRefusal, Partial<PlanFacts>>> = {
  'approved-only': { setting: 'approved-only' },
  'untrusted-file': { origins: [{ ...origin, trust: { standing: 'guarded' } }] },
  'not-typed': { typed: new Set() },
  'hidden-text': { offers: [offer('a'), offer('b', { hidden: true })] },
  'changed-signer': { offers: [offer('a', { signer: 'same' }), offer('b', { signer: 'changed' })] },
  recalled: { offers: [offer('a', { recalled: false }), offer('b', { recalled: true })] },
};

describe('refusedPlan()', () => {
  test('accepts a plan of typed origins', () => {
    expect(refusedPlan(plan)).toBeUndefined();
  });

  test.each(Object.keys(planRefusals) as PlanRefusal[])('refuses: %s', (refusal) => {
    const found = refusedPlan({ ...plan, ...refused[refusal] });
    expect(found).toMatchObject({ refusal, why: planRefusals[refusal].why });
    expect(found?.names).toEqual('offers' in refused[refusal] ? ['b'] : ['a', 'b']);
  });

  test('refuses a skill without an origin', () => {
    expect(refusedPlan({ ...plan, origins: [] })?.refusal).toBe('untrusted-file');
  });
});
