/**
 * A remote source, prepared to be served: it is asked for its listing again and again, as often as it says, and what changed is told
 * to whoever watches. While it does not answer, its skills stay as they were and a finding says so. Entries that have no place
 * among skill URIs are left out, with a finding.
 */
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { isSkillName } from '../skill/name.ts';
import { isSkillFileUri, tryParseSkillUri } from '../skill/skill-uri.ts';
import type { SkillSource, SourceChange, SourceContext, SourceSkill } from '../sources/skill-source.ts';
import { listingPause } from './listing-pause.ts';

export interface MirrorOptions {
  /** Serve nothing of it, with a finding, where it does not answer at first either; otherwise that is an error. */
  readonly tolerant?: boolean;
  /** Ask again this often, whatever it says. */
  readonly everyMs?: number;
}

interface Listed {
  readonly skills: ReadonlyMap<string, SourceSkill>;
  readonly findings: readonly Finding[];
}

const nothing: Listed = { skills: new Map(), findings: [] };

export function mirrored(source: SkillSource, { tolerant = false, everyMs }: MirrorOptions = {}): SkillSource {
  const listeners = new Set<(change: SourceChange) => void>();
  let last = nothing;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function read(context: SourceContext): Promise<Listed> {
    const skills = new Map<string, SourceSkill>();
    const findings: Finding[] = [];
    for await (const page of source.list(context)) {
      findings.push(...page.findings);
      for (const skill of page.skills) {
        const { uri } = skill.entry;
        const fault = placeFault(skill.entry);
        if (fault === undefined) skills.set(uri, skill);
        else findings.push(finding('origin-entry-refused', `the entry ${quoteText(uri)} cannot be served: ${fault}`));
      }
    }
    return { skills, findings };
  }

  async function readOrStay(context: SourceContext, stays: boolean): Promise<Listed> {
    try {
      return await read(context);
    } catch (error) {
      if (!stays || !(error instanceof SkillwireError)) throw error;
      const message = `${quoteText(source.name)} does not answer, so its skills are served as they were: ${error.message}`;
      const others = last.findings.filter(({ rule }) => rule !== 'origin-stale');
      return { skills: last.skills, findings: [...others, finding('origin-stale', message)] };
    }
  }

  function schedule(): void {
    clearTimeout(timer);
    if (closed || listeners.size === 0) return;
    timer = setTimeout(() => void refresh(), everyMs ?? listingPause(last.skills.values()));
    if (typeof timer === 'object' && 'unref' in timer) timer.unref();
  }

  async function refresh(): Promise<void> {
    const now = await readOrStay({}, true);
    if (closed) return;
    const change = changeBetween(last, now);
    last = now;
    if (change !== undefined) for (const listener of [...listeners]) listener(change);
    schedule();
  }

  return {
    ...source,
    watched: false,
    async *list(context) {
      last = await readOrStay(context, tolerant);
      schedule();
      yield { skills: [...last.skills.values()], findings: last.findings };
    },
    async get(uri, context) {
      const skill = isSkillFileUri(uri) ? await source.get(uri, context) : undefined;
      return skill === undefined || placeFault(skill.entry) !== undefined ? undefined : skill;
    },
    watch(listener) {
      listeners.add(listener);
      schedule();
      return () => {
        listeners.delete(listener);
        schedule();
      };
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await source.close?.();
    },
  };
}

/** What keeps an entry from being served under its URI; servers of older dialects do not care how skills are named. */
function placeFault({ uri, frontmatter: { name } }: SourceSkill['entry']): string | undefined {
  if (!isSkillFileUri(uri)) return 'its URI is no skill URI';
  const folder = tryParseSkillUri(uri)?.segments.at(-2);
  if (!isSkillName(name)) return `its name ${quoteText(name)} is no name of a skill`;
  return folder === name ? undefined : `its name ${quoteText(name)} is not the last part of its path`;
}

function changeBetween(before: Listed, now: Listed): SourceChange | undefined {
  const upserted = [...now.skills.values()].filter((skill) => {
    const other = before.skills.get(skill.entry.uri);
    return other === undefined || JSON.stringify(other.entry) !== JSON.stringify(skill.entry);
  });
  const removed = [...before.skills.keys()].filter((uri) => !now.skills.has(uri));
  const same = JSON.stringify(before.findings) === JSON.stringify(now.findings);
  return same && upserted.length + removed.length === 0 ? undefined : { upserted, removed, findings: now.findings };
}
