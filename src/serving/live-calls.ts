/** Calls of a live program that go past the catalog, and answers that leave. */
import { readText } from '../policy/file-facts.ts';
import { type SkillEntry, skillFileName } from '../skill/entry.ts';
import { pathsAround } from '../skill/nested-skills.ts';
import { skillFileUri } from '../skill/skill-uri.ts';
import type { CurrentRules } from './judgment.ts';
import { servingFacts } from './serving-facts.ts';
import type { DecidedOrigin } from './serving-state.ts';

export interface LiveCallRules {
  readonly current: () => CurrentRules;
  readonly digest: (bytes: Uint8Array) => string;
  readonly origins: ReadonlySet<DecidedOrigin>;
}

export function allowsLive({ current, digest, origins }: LiveCallRules, label: string, path: string): boolean {
  const { decisions, rules } = current();
  const uri = skillFileUri(path, skillFileName);
  const entry: SkillEntry = { uri, frontmatter: { name: '', description: '' }, resources: 'dynamic' };
  // Content is judged when the answer leaves.
  if (rules.decide(servingFacts({ entry }, { label, base: '', digest })).effect !== 'serve') return false;
  const around = [path, ...pathsAround(path)].map((folder) => skillFileUri(folder, skillFileName));
  if (around.some((skill) => decisions.disabled({ label, uri: skill }) !== undefined)) return false;
  return [...origins].every((origin) => origin.label !== label || !origin.isInUnserved(uri));
}

/** The answer is judged as a file of this name, and so is each text in it. */
export function acceptsLive({ current, digest }: LiveCallRules, path: string, answer: unknown): boolean {
  const { rules } = current();
  if (!rules.judgesContent) return true;
  return pieces(answer).every((piece) => {
    const bytes = encoder.encode(piece);
    const file = { path, size: bytes.length, digest: digest(bytes), text: readText(path, bytes) };
    return rules.deniesFile(file) === undefined;
  });
}

const encoder = new TextEncoder();

/** The written answer, and every text in it. */
function pieces(answer: unknown): readonly string[] {
  const found: string[] = typeof answer === 'string' ? [] : [JSON.stringify(answer) ?? ''];
  const visit = (value: unknown): void => {
    if (typeof value === 'string') found.push(value);
    else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) visit(item);
  };
  visit(answer);
  return found;
}
