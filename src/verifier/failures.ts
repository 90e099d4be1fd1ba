/** Collects a bounded number of failures; beyond that they are only counted. */

import type { Era } from '../dialects/era.ts';
import type { Remark } from '../dialects/skills-extension/remark.ts';
import { limits } from '../limits.ts';
import type { Failure } from './report.ts';
import { requirementRow } from './requirements.ts';

export interface FailureList {
  add(failure: Failure): void;
  addRemarks(remarks: readonly Remark[], uri?: string): void;
  /** For remarks that apply to every answer of a kind: counted each time, reported once. */
  addShared(remarks: readonly Remark[]): void;
  readonly list: readonly Failure[];
  /** All failures of each requirement, including those that are only counted. */
  readonly counts: ReadonlyMap<string, number>;
  /** The number of failures that are only counted. */
  readonly unreported: number;
  /** True if one of them breaks a `must`. */
  readonly failed: boolean;
}

export interface FailureListOptions {
  readonly most?: number;
  /** Keys of failures that were already reported; they are ignored. */
  readonly known?: ReadonlySet<string>;
}

export function createFailureList(options: FailureListOptions = {}): FailureList {
  const { most = limits.verifier.failures, known } = options;
  const list: Failure[] = [];
  const counts = new Map<string, number>();
  const shared = new Set<string>();
  let unreported = 0;
  let failed = false;
  const count = (requirement: string): void => {
    counts.set(requirement, (counts.get(requirement) ?? 0) + 1);
  };
  const add = (found: Failure): void => {
    // Reports print failures as clauses; messages of errors are sentences.
    const failure = { ...found, message: found.message.replace(/\.$/, '') };
    if (known?.has(failureKey(failure)) === true) return;
    count(failure.requirement);
    if (requirementRow(failure.requirement).level === 'must') failed = true;
    if (list.length < most) list.push(failure);
    else unreported++;
  };
  return {
    add,
    addRemarks(remarks, uri) {
      for (const remark of remarks) {
        const about = remark.uri ?? uri;
        add({ requirement: remark.requirement, message: remark.message, uri: about });
      }
    },
    addShared(remarks) {
      for (const { requirement, message } of remarks) {
        const key = `${requirement}\0${message}`;
        if (shared.has(key)) {
          if (known?.has(failureKey({ requirement, message })) !== true) count(requirement);
        } else {
          if (shared.size < most) shared.add(key);
          add({ requirement, message });
        }
      }
    },
    list,
    counts,
    get unreported() {
      return unreported;
    },
    get failed() {
      return failed;
    },
  };
}

/** The same key for the same fault in two protocol eras. */
export function failureKey({ requirement, message, uri = '' }: Failure): string {
  return `${requirement}\0${uri}\0${message}`;
}

/** Merges the failures of several eras. A failure seen in all of them is reported once, without an era. */
export function mergeEras(lists: ReadonlyMap<Era, FailureList>): Pick<FailureList, 'list' | 'counts'> {
  const seen = new Map<string, Set<Era>>();
  for (const [era, { list }] of lists) {
    for (const failure of list) {
      const key = failureKey(failure);
      seen.set(key, (seen.get(key) ?? new Set()).add(era));
    }
  }
  const merged = createFailureList({ most: Number.POSITIVE_INFINITY });
  const reported = new Set<string>();
  const onlyCounted = new Map<string, number>();
  for (const [era, { list, counts }] of lists) {
    for (const [id, count] of counts) onlyCounted.set(id, (onlyCounted.get(id) ?? 0) + count);
    for (const failure of list) {
      onlyCounted.set(failure.requirement, (onlyCounted.get(failure.requirement) ?? 0) - 1);
      const key = failureKey(failure);
      const everywhere = seen.get(key)?.size === lists.size;
      if (everywhere && reported.has(key)) continue;
      reported.add(key);
      const { era: _, ...shared } = failure;
      merged.add(everywhere ? shared : { ...shared, era });
    }
  }
  const counts = new Map(merged.counts);
  for (const [id, count] of onlyCounted) if (count > 0) counts.set(id, (counts.get(id) ?? 0) + count);
  return { list: merged.list, counts };
}
