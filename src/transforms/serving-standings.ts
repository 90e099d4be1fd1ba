/**
 * How the skills of one origin stand: served, or held back and why. Each is decided about by itself first; then a skill is served only
 * together with every skill inside it. So the order of decisions does not matter, and one that changes settles those around it.
 */
import { quoteText } from '../skill/display-text.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { folderPath, hasFilesIn } from '../skill/nested-skills.ts';
import type { SourceSkill } from '../sources/skill-source.ts';
import { sameWhereBoth } from './approved-entry.ts';
import { createNestedIndex } from './nested-index.ts';

/** What an origin has and is not served: `new` and `changed` wait for an approver. */
export interface HeldSkill {
  readonly skill: SourceSkill;
  readonly state: 'new' | 'changed' | 'refused';
  readonly reason: string;
}

/** `approved`: the entry and the bytes of an approval. */
export interface Served {
  readonly skill: SourceSkill;
  readonly approved: boolean;
}

/** What was decided about one skill by itself. */
export interface Standing {
  /** As the origin has it. */
  readonly skill: SourceSkill;
  readonly served?: Served | undefined;
  /** Why the origin's version is held back. */
  readonly held?: Omit<HeldSkill, 'skill'> | undefined;
  /** The bytes that were approved are not there. */
  readonly lost?: true;
}

interface Carried {
  /** URI of the inner skill. */
  readonly inner: string;
  readonly reason: string;
}

export interface Standings {
  /** Takes new decisions by URI, undefined for what the origin no longer has. Gives what is served differently now. */
  settle(own: ReadonlyMap<string, Standing | undefined>): {
    readonly upserted: readonly SourceSkill[];
    readonly removed: readonly string[];
  };
  clear(): void;
  served(uri: string): Served | undefined;
  allServed(): readonly SourceSkill[];
  /** URIs of everything that was decided about. */
  uris(): Iterable<string>;
  held(): readonly HeldSkill[];
  findings(): readonly Finding[];
}

export function createStandings(): Standings {
  const standings = new Map<string, Standing>();
  const served = new Map<string, Served>();
  /** Skills that are not served because of one inside them. */
  const carried = new Map<string, Carried>();
  const nested = createNestedIndex();

  /** The first skill inside that keeps this one from being served. */
  function carriedBy(uri: string, { skill, approved }: Served): Carried | undefined {
    for (const inner of nested.inside(uri)) {
      const standing = standings.get(inner);
      if (standing === undefined || standing.lost === true || !hasFilesIn(skill.entry, folderPath(inner))) continue;
      const name = quoteText(inner);
      if (standing.served === undefined) {
        const { state, reason } = standing.held ?? { state: 'refused', reason: 'a rule refuses it' };
        const why = state === 'refused' ? `is not served: ${reason}` : 'waits for approval';
        return { inner, reason: `it contains ${name}, which ${why}` };
      }
      if (approved && standing.served.approved && !sameWhereBoth(skill.entry, standing.served.skill.entry))
        return { inner, reason: `it contains ${name} in a version that waits for approval` };
    }
    return undefined;
  }

  function take(uri: string, standing: Standing | undefined): void {
    if (standing === undefined) {
      standings.delete(uri);
      nested.delete(uri);
    } else {
      standings.set(uri, standing);
      nested.add(uri);
    }
  }

  /** URIs of the skills that are not served because of one inside them, by that one. */
  function outerByInner(): ReadonlyMap<string, readonly string[]> {
    const outer = new Map<string, string[]>();
    for (const [uri, { inner }] of carried) outer.set(inner, [...(outer.get(inner) ?? []), uri]);
    return outer;
  }

  return {
    settle(own) {
      const concerned = new Set<string>();
      for (const [uri, standing] of own) {
        take(uri, standing);
        concerned.add(uri);
        for (const outer of nested.around(uri)) concerned.add(outer);
      }
      const upserted: SourceSkill[] = [];
      const removed: string[] = [];
      for (const uri of concerned) {
        const alone = standings.get(uri)?.served;
        const reason = alone === undefined ? undefined : carriedBy(uri, alone);
        if (reason === undefined) carried.delete(uri);
        else carried.set(uri, reason);
        const now = reason === undefined ? alone : undefined;
        const before = served.get(uri);
        if (now === undefined) {
          if (served.delete(uri)) removed.push(uri);
        } else {
          served.set(uri, now);
          if (before === undefined || !sameSource(before.skill, now.skill)) upserted.push(now.skill);
        }
      }
      return { upserted, removed };
    },
    clear() {
      standings.clear();
      served.clear();
      carried.clear();
      nested.clear();
    },
    served: (uri) => served.get(uri),
    allServed: () => [...served.values()].map(({ skill }) => skill),
    uris: () => standings.keys(),
    held() {
      const outer = outerByInner();
      const all: HeldSkill[] = [];
      for (const [uri, { skill, held }] of standings) {
        const why = carried.get(uri);
        if (held === undefined && why === undefined) continue;
        const around = (outer.get(uri) ?? []).map(quoteText).join(', ');
        const reasons = [
          ...(held === undefined ? [] : [held.reason]),
          ...(why === undefined ? [] : [why.reason]),
          ...(around === '' ? [] : [`not served either, because they contain it: ${around}`]),
        ];
        all.push({ skill, state: held?.state ?? 'refused', reason: reasons.join('; ') });
      }
      return all;
    },
    findings() {
      const all: Finding[] = [];
      for (const [uri, { held, lost }] of standings) {
        const name = quoteText(uri);
        const about = { skill: uri };
        const why = carried.get(uri)?.reason ?? (held?.state === 'refused' ? held.reason : undefined);
        if (why !== undefined) all.push(finding('policy-refused', `${name} is not served: ${why}`, about));
        else if (lost === true)
          all.push(finding('approved-lost', `${name} is not served: bytes that were approved are not there`, about));
        else if (held?.state === 'new') all.push(finding('policy-waiting', `${name} waits for approval`, about));
        else if (held?.state === 'changed')
          all.push(
            finding('policy-waiting', `${name} has changed and waits for approval; it is served as it was`, about),
          );
      }
      return all;
    },
  };
}

function sameSource(a: SourceSkill, b: SourceSkill): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
