/**
 * Decides whether `-y` accepts a plan: the one just shown, of origins that the person typed on this command line. It decides nothing else.
 * Executable bits and edited files have options of their own (`--scripts`, `--edits`), so `-y` never decides about them. Everything
 * else that needs a person is a row of the table, and one row that applies refuses the whole plan.
 */
import type { InstallSetting } from '../../gateway/configuration.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import type { InstallOffer } from '../../sync/install-decision.ts';

export interface PlanFacts {
  readonly offers: readonly InstallOffer[];
  /** The origins of the offers, by label. */
  readonly origins: readonly NamedOrigin[];
  /** Labels of origins that were typed on this command line. */
  readonly typed: ReadonlySet<string>;
  /** The user's setting `"install"`. */
  readonly setting: InstallSetting;
}

export type PlanRefusal =
  | 'approved-only'
  | 'not-typed'
  | 'untrusted-file'
  | 'hidden-text'
  | 'changed-signer'
  | 'recalled';

interface RefusalRow {
  /** Whether `-y` must not accept this offer. */
  applies(offer: InstallOffer, facts: PlanFacts): boolean;
  /** Completes "--yes does not accept it: ". */
  readonly why: string;
}

const originOf = ({ skill }: InstallOffer, { origins }: PlanFacts): NamedOrigin | undefined =>
  origins.find(({ label }) => label === skill.captured.label);

/** In the order in which they are reported. */
export const planRefusals: Readonly<Record<PlanRefusal, RefusalRow>> = {
  'approved-only': {
    applies: (_, { setting }) => setting === 'approved-only',
    why: 'your skillwire.json says "install": "approved-only"',
  },
  'not-typed': {
    applies: ({ skill }, { typed }) => !typed.has(skill.captured.label),
    why: 'its origin is not on this command line',
  },
  'untrusted-file': {
    applies: (offer, facts) => originOf(offer, facts)?.trust.standing !== 'own',
    why: 'its origin comes from a file that you have not trusted',
  },
  'hidden-text': {
    applies: ({ hidden }) => hidden,
    why: 'it contains hidden text',
  },
  'changed-signer': {
    applies: ({ signer }) => signer === 'changed',
    why: 'somebody else signed it than before',
  },
  recalled: {
    applies: ({ recalled }) => recalled === true,
    why: 'its content was recalled',
  },
};

/** The first reason against the plan with the names it concerns; `undefined` if `-y` accepts it. */
export function refusedPlan(facts: PlanFacts) {
  for (const [refusal, { applies, why }] of Object.entries(planRefusals) as [PlanRefusal, RefusalRow][]) {
    const names = facts.offers.filter((offer) => applies(offer, facts)).map(({ name }) => name);
    if (names.length > 0) return { refusal, why, names };
  }
  return undefined;
}
