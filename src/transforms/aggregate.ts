/**
 * Many sources as one, each below a first segment of its own, so that no two can have one URI and every question goes to exactly one
 * of them. They are listed at the same time; the first listing waits a bounded time for all, and those that are slower appear when
 * they have answered. Sources can be added and taken away while it is served. Names that several skills share are told, and all of
 * those skills are served (sec:X-4).
 */
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { tryParseSkillUri } from '../skill/skill-uri.ts';
import type { SkillSource, SourceChange, SourceContext, SourceSkill } from '../sources/skill-source.ts';

export interface AggregateOptions {
  readonly name: string;
  readonly firstListingMs?: number;
  /** Gets each source that is served no longer. */
  readonly onRetired?: (source: SkillSource) => void;
}

export interface Aggregate extends SkillSource {
  /**
   * Serves these from now on, by first segment. Who is the same source as before is not asked again. One that takes the place of
   * another is listed before it does, so that nothing is missing meanwhile; resolves when all have.
   */
  replace(parts: ReadonlyMap<string, SkillSource>): Promise<void>;
}

interface Part {
  readonly source: SkillSource;
  /** Names by URI, of what is served. */
  readonly names: Map<string, string>;
  findings: readonly Finding[];
  /** Whether its listing is part of what was told; until then its changes are in the listing to come. */
  told: boolean;
  stop: (() => void) | undefined;
}

export function aggregate(initial: ReadonlyMap<string, SkillSource>, options: AggregateOptions): Aggregate {
  const { firstListingMs = limits.gateway.firstListingMs } = options;
  const parts = new Map<string, Part>();
  const listeners = new Set<(change: SourceChange) => void>();
  let waitUntil: number | undefined;

  function partOf(uri: string): Part | undefined {
    const [first] = tryParseSkillUri(uri)?.segments ?? [];
    return first === undefined ? undefined : parts.get(first);
  }

  function createPart(source: SkillSource): Part {
    const part: Part = { source, names: new Map(), findings: [], told: false, stop: undefined };
    part.stop = source.watch?.((change) => {
      if (!part.told) return;
      const mine = note(part, change);
      if (isServed(part)) tell(mine);
    });
    return part;
  }

  function retire(part: Part): readonly string[] {
    part.stop?.();
    options.onRetired?.(part.source);
    return [...part.names.keys()];
  }

  /** Puts a part that was listed in the place of another. */
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
    tell({ upserted: skills, removed: gone });
  }

  /** Takes over what a change of one part says. */
  function note(part: Part, { upserted, removed, findings }: SourceChange): Omit<SourceChange, 'findings'> {
    for (const uri of removed) part.names.delete(uri);
    for (const { entry } of upserted) part.names.set(entry.uri, entry.frontmatter.name);
    part.findings = findings;
    return { upserted, removed };
  }

  function tell(change: Omit<SourceChange, 'findings'>): void {
    const whole = { ...change, findings: allFindings() };
    for (const listener of [...listeners]) listener(whole);
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
        `${uris.length} skills have the name ${quoteText(name)}: ${uris.slice(0, 3).map(quoteText).join(', ')}`,
        { skill: uris[1] ?? '' },
      ),
    );
  }

  /** What one part lists, as the state of it. */
  async function read(part: Part, context: SourceContext): Promise<readonly SourceSkill[]> {
    const skills: SourceSkill[] = [];
    const findings: Finding[] = [];
    for await (const page of part.source.list(context)) {
      skills.push(...page.skills);
      findings.push(...page.findings);
    }
    part.names.clear();
    part.told = true;
    note(part, { upserted: skills, removed: [], findings });
    return skills;
  }

  /** Its skills; undefined where it takes longer than the others can wait, and then they are told when they are there. */
  async function readInTime(
    part: Part,
    context: SourceContext,
    ms: number,
  ): Promise<readonly SourceSkill[] | undefined> {
    let late = false;
    const reading = read(part, context).then((skills) => {
      if (late && isServed(part)) tell({ upserted: skills, removed: [] });
      return skills;
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        late = true;
        resolve(undefined);
      }, ms);
    });
    // Who is late tells of its failure by its state.
    reading.catch(() => undefined);
    try {
      return await Promise.race([reading, patience]);
    } finally {
      clearTimeout(timer);
    }
  }

  function isServed(part: Part): boolean {
    for (const other of parts.values()) if (other === part) return true;
    return false;
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
      yield { skills: all.flatMap((skills) => skills ?? []), findings: allFindings() };
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
      if (source === undefined) return false;
      return source.isCurrent === undefined || source.isCurrent(uri, digest);
    },
    freshUntil(uri) {
      if (uri !== undefined) return partOf(uri)?.source.freshUntil?.(uri);
      let least: number | undefined;
      for (const { source } of parts.values()) {
        const until = source.freshUntil?.();
        if (until !== undefined && (least === undefined || until < least)) least = until;
      }
      return least;
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async replace(next) {
      const removed: string[] = [];
      for (const [segment, part] of parts)
        if (!next.has(segment)) {
          parts.delete(segment);
          removed.push(...retire(part));
        }
      if (removed.length > 0) tell({ upserted: [], removed });
      const others = [...next].filter(([segment, source]) => parts.get(segment)?.source !== source);
      await Promise.all(others.map(([segment, source]) => takeOver(segment, source)));
    },
    async close() {
      for (const { stop } of parts.values()) stop?.();
      await Promise.all([...parts.values()].map(({ source }) => source.close?.()));
    },
  };
}
