/**
 * Many sources as one, each under its own first segment. So no two share a URI, and every request goes to exactly one of them. All are
 * listed in parallel. The first listing waits a bounded time; the skills of slower sources are reported as changes. Sources can be added
 * and removed at run time. Names that several skills share are reported, and all of these skills are served (sec:X-4).
 */

import { isDoneWithin } from '../async/deadline.ts';
import { createListeners } from '../async/listeners.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { tryParseSkillUri } from '../skill/skill-uri.ts';
import type { SkillSource, SourceChange, SourceContext, SourceSkill } from '../sources/skill-source.ts';

export interface AggregateOptions {
  readonly name: string;
  readonly firstListingMs?: number;
  /** Called with each source that is no longer served. */
  readonly onRetired?: (source: SkillSource) => void;
}

export interface Aggregate extends SkillSource {
  /**
   * Serves these sources from now on, by first segment. A source that was there before is not listed again. A new one is listed before
   * it replaces another, so no skill is missing meanwhile. Resolves when all are in place.
   */
  replace(parts: ReadonlyMap<string, SkillSource>): Promise<void>;
}

interface Part {
  readonly source: SkillSource;
  /** Names of the served skills, by URI. */
  readonly names: Map<string, string>;
  findings: readonly Finding[];
  /** Until it is listed, its changes are ignored: they will be in the listing. */
  isListed: boolean;
  stop: (() => void) | undefined;
}

export function aggregate(initial: ReadonlyMap<string, SkillSource>, options: AggregateOptions): Aggregate {
  const { firstListingMs = limits.gateway.firstListingMs } = options;
  const parts = new Map<string, Part>();
  const listeners = createListeners<SourceChange>();
  let waitUntil: number | undefined;

  function partOf(uri: string): Part | undefined {
    const [first] = tryParseSkillUri(uri)?.segments ?? [];
    return first === undefined ? undefined : parts.get(first);
  }

  function createPart(source: SkillSource): Part {
    const part: Part = { source, names: new Map(), findings: [], isListed: false, stop: undefined };
    part.stop = source.watch?.((change) => {
      if (!part.isListed) return;
      apply(part, change);
      if (isServed(part)) notify(change);
    });
    return part;
  }

  function retire(part: Part): readonly string[] {
    part.stop?.();
    options.onRetired?.(part.source);
    return [...part.names.keys()];
  }

  /** Lists a source and puts it in the place of another. */
  async function takeOver(segment: string, source: SkillSource): Promise<void> {
    const before = parts.get(segment);
    const part = createPart(source);
    const skills = await read(part, {});
    if (parts.get(segment) !== before) {
      retire(part);
      return;
    }
    parts.set(segment, part);
    const gone = before === undefined ? [] : retire(before).filter((uri) => !part.names.has(uri));
    notify({ upserted: skills, removed: gone });
  }

  function apply(part: Part, { upserted, removed, findings }: SourceChange): void {
    for (const uri of removed) part.names.delete(uri);
    for (const { entry } of upserted) part.names.set(entry.uri, entry.frontmatter.name);
    part.findings = findings;
  }

  function notify({ upserted, removed }: Omit<SourceChange, 'findings'>): void {
    const change = { upserted, removed, findings: allFindings() };
    listeners.call(change);
  }

  function allFindings(): readonly Finding[] {
    return [...[...parts.values()].flatMap((part) => part.findings), ...sharedNames()];
  }

  function sharedNames(): readonly Finding[] {
    const byName = new Map<string, string[]>();
    for (const { names } of parts.values())
      for (const [uri, name] of names) {
        const uris = byName.get(name);
        if (uris === undefined) byName.set(name, [uri]);
        else uris.push(uri);
      }
    const shared = [...byName].filter(([, uris]) => uris.length > 1).slice(0, limits.gateway.sharedNames);
    return shared.map(([name, uris]) =>
      finding(
        'name-not-unique',
        `${uris.length} skills are named ${quoteText(name)}: ${uris.slice(0, 3).map(quoteText).join(', ')}`,
        { skill: uris[1] ?? '' },
      ),
    );
  }

  /** Lists one part and records the result. */
  async function read(part: Part, context: SourceContext): Promise<readonly SourceSkill[]> {
    const skills: SourceSkill[] = [];
    const findings: Finding[] = [];
    for await (const page of part.source.list(context)) {
      skills.push(...page.skills);
      findings.push(...page.findings);
    }
    part.names.clear();
    part.isListed = true;
    apply(part, { upserted: skills, removed: [], findings });
    return skills;
  }

  /** The skills of a part; none if it takes longer, and then they are reported as a change. */
  async function readInTime(part: Part, context: SourceContext, ms: number): Promise<readonly SourceSkill[]> {
    const reading = read(part, context);
    if (await isDoneWithin(reading, ms)) return reading;
    reading.then(
      (skills) => {
        if (isServed(part)) notify({ upserted: skills, removed: [] });
      },
      // The status of the source has the error.
      () => undefined,
    );
    return [];
  }

  function isServed(part: Part): boolean {
    return [...parts.values()].includes(part);
  }

  for (const [segment, source] of initial) parts.set(segment, createPart(source));

  return {
    name: options.name,
    watched: true,
    async *list(context) {
      waitUntil ??= Date.now() + firstListingMs;
      const ms = Math.max(0, waitUntil - Date.now());
      const { signal: _, ...own } = context;
      const all = await Promise.all([...parts.values()].map((part) => readInTime(part, own, ms)));
      context.signal?.throwIfAborted();
      yield { skills: all.flat(), findings: allFindings() };
    },
    async get(uri, context) {
      const part = partOf(uri);
      const skill = await part?.source.get(uri, context);
      if (part !== undefined && skill !== undefined) part.names.set(skill.entry.uri, skill.entry.frontmatter.name);
      return skill;
    },
    open: async (uri, context) => partOf(uri)?.source.open(uri, context),
    async templates(context) {
      const all = await Promise.all([...parts.values()].map(({ source }) => source.templates?.(context)));
      return all.flatMap((some) => some ?? []);
    },
    isCurrent(uri, digest) {
      const source = partOf(uri)?.source;
      return source !== undefined && (source.isCurrent?.(uri, digest) ?? true);
    },
    freshUntil(uri) {
      if (uri !== undefined) return partOf(uri)?.source.freshUntil?.(uri);
      const times = [...parts.values()].flatMap(({ source }) => source.freshUntil?.() ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    watch(listener) {
      return listeners.add(listener);
    },
    async replace(next) {
      const removed: string[] = [];
      for (const [segment, part] of parts)
        if (!next.has(segment)) {
          parts.delete(segment);
          removed.push(...retire(part));
        }
      if (removed.length > 0) notify({ upserted: [], removed });
      const others = [...next].filter(([segment, source]) => parts.get(segment)?.source !== source);
      await Promise.all(others.map(([segment, source]) => takeOver(segment, source)));
    },
    async close() {
      for (const { stop } of parts.values()) stop?.();
      await Promise.all([...parts.values()].map(({ source }) => source.close?.()));
    },
  };
}
