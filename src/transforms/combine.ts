/**
 * One source made from several. Skills keep their URIs. If two sources have the same URI, the first is served and the second is reported
 * as a problem that names both. If the first removes it, the second is served.
 */
import { skillFileName } from '../skill/entry.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { skillFileUri, tryParseSkillUri } from '../skill/skill-uri.ts';
import type { SkillSource, SourceChange, SourceSkill } from '../sources/skill-source.ts';

interface Part {
  readonly source: SkillSource;
  skills: Map<string, SourceSkill>;
  findings: readonly Finding[];
}

export function combine(sources: readonly SkillSource[]): SkillSource {
  const parts: Part[] = sources.map((source) => ({ source, skills: new Map(), findings: [] }));
  const watched = sources.every((source) => source.watched ?? source.watch !== undefined);

  function winner(uri: string): { part: Part; skill: SourceSkill } | undefined {
    for (const part of parts) {
      const skill = part.skills.get(uri);
      if (skill !== undefined) return { part, skill };
    }
    return undefined;
  }

  function findings(): readonly Finding[] {
    const all = parts.flatMap((part) => part.findings);
    for (const part of parts)
      for (const uri of part.skills.keys()) {
        const first = winner(uri)?.part ?? part;
        if (first !== part)
          all.push(
            finding(
              'skill-uri-taken',
              `"${uri}" of ${part.source.name} is not served: ${first.source.name} already has that URI`,
              { skill: uri },
            ),
          );
      }
    return all;
  }

  /** The part that serves the file or skill with this URI. */
  function ownerOf(uri: string): Part | undefined {
    const segments = tryParseSkillUri(uri)?.segments ?? [];
    for (let depth = segments.length - 1; depth > 0; depth--) {
      const found = winner(skillFileUri(segments.slice(0, depth).join('/'), skillFileName));
      if (found !== undefined) return found.part;
    }
    return undefined;
  }

  return {
    name: sources.map((source) => source.name).join(', '),
    watched,
    async *list(context) {
      for (const part of parts) {
        const skills = new Map<string, SourceSkill>();
        const found: Finding[] = [];
        for await (const page of part.source.list(context)) {
          for (const skill of page.skills) skills.set(skill.entry.uri, skill);
          found.push(...page.findings);
        }
        part.skills = skills;
        part.findings = found;
      }
      const served = new Map<string, SourceSkill>();
      for (const part of parts) for (const [uri, skill] of part.skills) if (!served.has(uri)) served.set(uri, skill);
      yield { skills: [...served.values()], findings: findings() };
    },
    async get(uri, context) {
      for (const part of parts) {
        const skill = await part.source.get(uri, context);
        if (skill !== undefined) {
          part.skills.set(skill.entry.uri, skill);
          return skill;
        }
      }
      return undefined;
    },
    async open(uri, context) {
      const owner = ownerOf(uri);
      if (owner !== undefined) return owner.source.open(uri, context);
      for (const { source } of parts) {
        const file = await source.open(uri, context);
        if (file !== undefined) return file;
      }
      return undefined;
    },
    templates: sources.some((source) => source.templates !== undefined)
      ? async (context) => {
          const all = await Promise.all(sources.map((source) => source.templates?.(context)));
          return all.flatMap((part) => part ?? []);
        }
      : undefined,
    isCurrent(uri, digest) {
      const source = ownerOf(uri)?.source;
      return source !== undefined && (source.isCurrent?.(uri, digest) ?? true);
    },
    freshUntil(uri) {
      if (uri !== undefined) return ownerOf(uri)?.source.freshUntil?.(uri);
      const times = sources.flatMap((source) => source.freshUntil?.() ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    watch(listener) {
      const stops = parts.map((part) => part.source.watch?.((change) => listener(merge(part, change))));
      return () => {
        for (const stop of stops) stop?.();
      };
    },
    async close() {
      await Promise.all(sources.map((source) => source.close?.()));
    },
  };

  /** Turns a change of one part into a change of the whole. */
  function merge(part: Part, change: SourceChange): SourceChange {
    for (const uri of change.removed) part.skills.delete(uri);
    for (const skill of change.upserted) part.skills.set(skill.entry.uri, skill);
    part.findings = change.findings;
    const upserted: SourceSkill[] = [];
    const removed: string[] = [];
    for (const uri of new Set([...change.removed, ...change.upserted.map(({ entry }) => entry.uri)])) {
      const now = winner(uri);
      if (now === undefined) removed.push(uri);
      else upserted.push(now.skill);
    }
    return { upserted, removed, findings: findings() };
  }
}
