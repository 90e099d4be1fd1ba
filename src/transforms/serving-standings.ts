/**
 * Which skills of one origin are served, and why others are not. Each skill is decided on its own first; then a skill is served only if
 * every skill inside it is. So the order of decisions does not matter, and a changed decision also updates the skills around it.
 */
import { type Unserved, unservedText } from '../serving/serving-state.ts';
import { quoteText } from '../skill/display-text.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { sameJson } from '../skill/json.ts';
import type { SourceSkill } from '../sources/skill-source.ts';
import { sameWhereBoth } from './approved-skill.ts';
import { createNestedIndex } from './nested-index.ts';

/** A skill of the origin whose current version is not served. */
export interface UnservedSource extends Unserved {
  readonly skill: SourceSkill;
}

/** `approved`: the entry and the bytes of an approval. */
export interface Served {
  readonly skill: SourceSkill;
  readonly approved: boolean;
}

/** The decision about one skill on its own. */
export interface OwnStanding {
  /** The version of the origin. */
  readonly skill: SourceSkill;
  readonly served?: Served | undefined;
  /** Why the origin's version is not served. */
  readonly why?: Unserved | undefined;
  /** The approved bytes are missing. */
  readonly lost?: true;
}

interface Carried {
  /** URI of the inner skill. */
  readonly inner: string;
  readonly why: Unserved;
}

export function createStandings() {
  const standings = new Map<string, OwnStanding>();
  const served = new Map<string, Served>();
  /** Skills that are not served because of a skill inside them. */
  const carried = new Map<string, Carried>();
  const nested = createNestedIndex();

  /** The first inner skill that keeps this one from being served. */
  function carriedBy({ skill, approved }: Served): Carried | undefined {
    for (const inner of nested.carriedBy(skill.entry)) {
      const standing = standings.get(inner);
      if (standing === undefined || standing.lost === true) continue;
      const name = quoteText(inner);
      if (standing.served === undefined) {
        const why: Unserved = standing.why ?? { state: 'denied', reason: 'a rule denies it', by: 'rule' };
        return { inner, why: { ...why, reason: `it contains ${name}, which ${unservedText(why)}` } };
      }
      if (approved && standing.served.approved && !sameWhereBoth(skill.entry, standing.served.skill.entry)) {
        const reason = `it contains ${name} in a version that is waiting for approval`;
        return { inner, why: { state: 'waiting', change: 'changed', reason, by: 'rule' } };
      }
    }
    return undefined;
  }

  function take(uri: string, standing: OwnStanding | undefined): void {
    if (standing === undefined) {
      standings.delete(uri);
      nested.delete(uri);
    } else {
      standings.set(uri, standing);
      nested.add(uri, standing.skill.aliases);
    }
  }

  /** URIs of the skills that are not served because of an inner one, by the inner one. */
  function outerByInner(): ReadonlyMap<string, readonly string[]> {
    const outer = new Map<string, string[]>();
    for (const [uri, { inner }] of carried) outer.set(inner, [...(outer.get(inner) ?? []), uri]);
    return outer;
  }

  return {
    /** Takes new decisions by URI, `undefined` for skills that the origin no longer has. Returns what is now served differently. */
    settle(own: ReadonlyMap<string, OwnStanding | undefined>): {
      readonly upserted: readonly SourceSkill[];
      readonly removed: readonly string[];
    } {
      const concerned = new Set<string>();
      for (const [uri, standing] of own) {
        for (const outer of nested.around(uri)) concerned.add(outer);
        take(uri, standing);
        concerned.add(uri);
        for (const outer of nested.around(uri)) concerned.add(outer);
      }
      const upserted: SourceSkill[] = [];
      const removed: string[] = [];
      for (const uri of concerned) {
        const alone = standings.get(uri)?.served;
        const reason = alone === undefined ? undefined : carriedBy(alone);
        if (reason === undefined) carried.delete(uri);
        else carried.set(uri, reason);
        const now = reason === undefined ? alone : undefined;
        const before = served.get(uri);
        if (now === undefined) {
          if (served.delete(uri)) removed.push(uri);
        } else {
          served.set(uri, now);
          if (before === undefined || !sameJson(before.skill, now.skill)) upserted.push(now.skill);
        }
      }
      return { upserted, removed };
    },
    clear(): void {
      standings.clear();
      served.clear();
      carried.clear();
      nested.clear();
    },
    served: (uri: string): Served | undefined => served.get(uri),
    allServed: (): readonly SourceSkill[] => [...served.values()].map(({ skill }) => skill),
    /** URIs of all skills with a decision. */
    uris: (): Iterable<string> => standings.keys(),
    /** For the current version of the origin. */
    whyUnserved: (uri: string): Unserved | undefined => standings.get(uri)?.why ?? carried.get(uri)?.why,
    unserved(): readonly UnservedSource[] {
      const outer = outerByInner();
      const all: UnservedSource[] = [];
      for (const [uri, { skill, why }] of standings) {
        const inner = carried.get(uri)?.why;
        const state = why ?? inner;
        if (state === undefined) continue;
        const around = (outer.get(uri) ?? []).map(quoteText).join(', ');
        const reasons = [
          ...(why === undefined ? [] : [why.reason]),
          ...(inner === undefined ? [] : [inner.reason]),
          ...(around === '' ? [] : [`not served either, because they contain it: ${around}`]),
        ];
        all.push({ ...state, skill, reason: reasons.join('; ') });
      }
      return all;
    },
    findings(): readonly Finding[] {
      const all: Finding[] = [];
      for (const [uri, { why, lost }] of standings) {
        const name = quoteText(uri);
        const about = { skill: uri };
        const blocked = carried.get(uri)?.why ?? (why?.state === 'waiting' ? undefined : why);
        if (blocked !== undefined)
          all.push(finding(ruleOf[blocked.state], `${name} is not served: ${blocked.reason}`, about));
        else if (lost === true)
          all.push(finding('approved-lost', `${name} is not served: its approved bytes are missing`, about));
        else if (why?.change === 'new') all.push(finding('policy-waiting', `${name} is waiting for approval`, about));
        else if (why?.change === 'changed')
          all.push(
            finding(
              'policy-waiting',
              `${name} changed and is waiting for approval; agents still get the approved version`,
              about,
            ),
          );
      }
      return all;
    },
  };
}

const ruleOf = { denied: 'policy-denied', disabled: 'policy-disabled', waiting: 'policy-waiting' } as const;
