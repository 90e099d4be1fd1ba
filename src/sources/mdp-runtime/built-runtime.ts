/**
 * Builds entries for the skills of one runtime. A skill with a declared digest that its text matches is an ordinary
 * skill with digests, cached as long as the runtime exposes it. All others are dynamic. A skill that contains a dynamic
 * one is dynamic too, since its entry would have to promise the bytes of both.
 */
import { staticDeclaration } from '../../dialects/mdp/static-declaration.ts';
import { limits } from '../../limits.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type Frontmatter, type SkillResource, skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { findFences } from '../../skill/frontmatter-fences.ts';
import { composeSkillFile } from '../generated-text.ts';
import type { SourceContext, SourceSkill } from '../skill-source.ts';
import type { RuntimeDirectory } from './runtime-directory.ts';
import { type LiveRuntime, type RuntimeSkill, type RuntimeTemplate, runtimeSkills } from './runtime-skills.ts';

export interface StaticFile {
  readonly bytes: Uint8Array;
  readonly digest: string;
}

export interface BuiltSkill {
  readonly runtimeSkill: RuntimeSkill;
  readonly source: SourceSkill;
  readonly file?: StaticFile;
}

export interface BuiltRuntime {
  readonly runtime: LiveRuntime;
  /** By URI. */
  readonly skills: ReadonlyMap<string, BuiltSkill>;
  readonly templates: readonly RuntimeTemplate[];
  readonly findings: readonly Finding[];
  /** Texts by their declared digest; saves calls when only something else changes. */
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
        // Beyond the limit skills stay dynamic; each answer is still checked against its digest.
        if (bytes > limits.liveSkills.staticBytes) return;
        const known = before?.texts.get(digest);
        const answer = known === undefined ? await fetchText(skill, directory, context) : { text: known };
        fetched.set(skill.uri, answer);
        if ('text' in answer) texts.set(digest, answer.text);
      }),
    );

  const uris = new Map(skills.map(({ path, uri }) => [path, uri]));
  const files = new Map<string, StaticFile>();
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

/** The entry of a skill without promised bytes. */
export function dynamicSkill({ uri, frontmatter }: RuntimeSkill, listed: boolean): SourceSkill {
  return { entry: { uri, frontmatter, resources: 'dynamic' }, listed, ttlMs: 0, cacheScope: 'private' };
}

function builtSkill(
  runtimeSkill: RuntimeSkill,
  all: readonly RuntimeSkill[],
  files: ReadonlyMap<string, StaticFile>,
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
  // The skill comes and goes with its runtime, so its entry must not be cached.
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
  const reason = outcome.ok ? 'it is not text' : quoteText(outcome.error.message);
  const rule = refused ? 'runtime-answer-refused' : 'runtime-answer-missing';
  const message = `cannot use the answer of the runtime ${quoteText(clientId)} for "${path}": ${reason}`;
  return { refused, finding: finding(rule, message, { skill: uri }) };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Starts at a word boundary and ends where the path does. */
const mdpLink = /(?<![^\s`'"(<[{,;])\/(?:[a-z0-9._-]+\/)*(?:skill|SKILL)\.md(?![\w/?#-]|\.\w)/g;

/**
 * Composes the `SKILL.md` for a runtime's answer: our frontmatter, then the answer without its own frontmatter. Paths
 * of the same runtime become skill URIs, since MCP readers cannot use paths. A path with a query stays, because no URI
 * means the same.
 *
 * @param uriOf returns the URI of a path of the same runtime
 */
export function liveSkillFile(
  frontmatter: Frontmatter,
  answer: string,
  uriOf: (path: string) => string | undefined,
): Uint8Array {
  const body = withoutFrontmatter(answer).replace(mdpLink, (path) => uriOf(path) ?? path);
  return encoder.encode(composeSkillFile(frontmatter, body));
}

function withoutFrontmatter(text: string): string {
  if (!/^\uFEFF?---/.test(text)) return text;
  const bytes = encoder.encode(text);
  const fences = findFences(bytes);
  return fences.kind === 'found' ? decoder.decode(bytes.subarray(fences.bodyStart)).replace(/^[\r\n]+/, '') : text;
}
