/**
 * The skills of one runtime as entries. A skill whose bytes the runtime declared, and whose text has that digest, is an ordinary
 * skill with digests, kept here as long as the runtime exposes it; all others are dynamic. A skill with a dynamic one inside it
 * is dynamic too, since its entry would have to promise the bytes of both.
 */
import { staticDeclaration } from '../../dialects/mdp/static-declaration.ts';
import { limits } from '../../limits.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type SkillResource, skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import type { SourceContext, SourceSkill } from '../skill-source.ts';
import { liveSkillFile } from './live-text.ts';
import type { RuntimeDirectory } from './runtime-directory.ts';
import { type LiveRuntime, type RuntimeSkill, type RuntimeTemplate, runtimeSkills } from './runtime-skills.ts';

/** A file whose bytes are known. */
export interface KnownFile {
  readonly bytes: Uint8Array;
  readonly digest: string;
}

export interface BuiltSkill {
  readonly runtimeSkill: RuntimeSkill;
  readonly source: SourceSkill;
  readonly file?: KnownFile;
}

export interface BuiltRuntime {
  readonly runtime: LiveRuntime;
  /** By URI. */
  readonly skills: ReadonlyMap<string, BuiltSkill>;
  readonly templates: readonly RuntimeTemplate[];
  readonly findings: readonly Finding[];
  /** Texts that were declared, by their declared digest; spares a call when only something else changes. */
  readonly texts: ReadonlyMap<string, string>;
}

type Fetched = { readonly text: string } | { readonly finding: Finding; readonly refused: boolean };

export async function buildRuntime(
  label: string,
  runtime: LiveRuntime,
  directory: RuntimeDirectory,
  before: Pick<BuiltRuntime, 'texts'> | undefined,
  context: SourceContext,
): Promise<BuiltRuntime> {
  const { skills, templates, findings } = runtimeSkills(label, runtime);
  const found = [...findings];
  const texts = new Map<string, string>();
  const declared = skills.filter(({ descriptor }) => staticDeclaration(descriptor) !== undefined);
  const fetched = new Map<string, Fetched>();
  let bytes = 0;
  for (let from = 0; from < declared.length; from += limits.liveSkills.parallelCalls)
    await Promise.all(
      declared.slice(from, from + limits.liveSkills.parallelCalls).map(async (skill) => {
        const { digest = '', size = 0 } = staticDeclaration(skill.descriptor) ?? {};
        bytes += size;
        // What does not fit stays dynamic; each answer is still held to the digest.
        if (bytes > limits.liveSkills.staticBytes) return;
        const known = before?.texts.get(digest);
        const answer = known === undefined ? await fetchText(skill, directory, context) : { text: known };
        fetched.set(skill.uri, answer);
        if ('text' in answer) texts.set(digest, answer.text);
      }),
    );

  const uris = new Map(skills.map(({ path, uri }) => [path, uri]));
  const files = new Map<string, KnownFile>();
  const served: RuntimeSkill[] = [];
  for (const skill of skills) {
    const answer = fetched.get(skill.uri);
    if (answer !== undefined && 'finding' in answer) {
      found.push(answer.finding);
      if (answer.refused) continue;
    } else if (answer !== undefined) {
      const text = liveSkillFile(skill.frontmatter, answer.text, (path) => uris.get(path));
      files.set(skill.uri, { bytes: text, digest: await sha256Digest(text) });
    }
    served.push(skill);
  }
  const built = new Map<string, BuiltSkill>();
  for (const skill of served) built.set(skill.uri, builtSkill(skill, served, files));
  return { runtime, skills: built, templates, findings: found, texts };
}

/** The entry of a skill whose bytes nobody has promised. */
export function dynamicSkill({ uri, frontmatter }: RuntimeSkill, listed: boolean): SourceSkill {
  return { entry: { uri, frontmatter, resources: 'dynamic' }, listed, ttlMs: 0, cacheScope: 'private' };
}

function builtSkill(
  runtimeSkill: RuntimeSkill,
  all: readonly RuntimeSkill[],
  files: ReadonlyMap<string, KnownFile>,
): BuiltSkill {
  const { uri, frontmatter } = runtimeSkill;
  const folder = uri.slice(0, -skillFileName.length);
  const inside = all.filter((other) => other.uri.startsWith(folder));
  const file = files.get(uri);
  const resources: SkillResource[] = [];
  for (const other of inside) {
    const known = files.get(other.uri);
    if (known === undefined) break;
    resources.push({ uri: other.uri, digest: known.digest, size: known.bytes.length });
  }
  if (file === undefined || resources.length < inside.length || resources.length > limits.skill.files)
    return { runtimeSkill, source: dynamicSkill(runtimeSkill, true), file };
  resources.sort((a, b) => (a.uri < b.uri ? -1 : 1));
  // It comes and goes with its runtime, so nobody shall keep the entry.
  const madeFrom = inside.flatMap(({ descriptor }) => staticDeclaration(descriptor)?.digest ?? []);
  const entry = { uri, frontmatter, resources };
  const source = { entry, listed: true, ttlMs: 0, cacheScope: 'private', madeFrom } as const;
  return { runtimeSkill, source, file };
}

async function fetchText(
  { uri, clientId, path }: RuntimeSkill,
  directory: RuntimeDirectory,
  context: SourceContext,
): Promise<Fetched> {
  const outcome = await directory.call(clientId, path, context);
  if (outcome.ok && typeof outcome.data === 'string') return { text: outcome.data };
  const refused = !outcome.ok && outcome.hub === 'mismatch';
  const said = outcome.ok ? 'it is not text' : quoteText(outcome.error.message);
  const rule = refused ? 'runtime-answer-refused' : 'runtime-answer-missing';
  const message = `the answer of the runtime ${quoteText(clientId)} for "${path}" cannot be used: ${said}`;
  return { refused, finding: finding(rule, message, { skill: uri }) };
}
