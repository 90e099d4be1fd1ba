/**
 * Skills in memory. A skill is text and bytes from code, or functions that generate them per request. One function
 * among its files makes the whole skill dynamic: its bytes have no stable digest, so none is promised.
 *
 * Adding a skill that breaks the rules throws; a skill is never listed in part.
 */
import { createListeners } from '../async/listeners.ts';
import { andThen } from '../async/maybe-promise.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { sha256Digest } from '../skill/digest.ts';
import {
  type Frontmatter,
  type JsonValue,
  type SkillEntry,
  type SkillResource,
  skillFileName,
} from '../skill/entry.ts';
import type { Finding } from '../skill/finding.ts';
import { readFrontmatter } from '../skill/frontmatter.ts';
import { mediaTypeFromBytes, mediaTypeOf } from '../skill/media-type.ts';
import { buildSkillUri, parseSkillUri, skillFileUri, tryParseSkillUri } from '../skill/skill-uri.ts';
import { composeSkillFile, type GenerateFile, generate, runGenerator } from './generated-text.ts';
import type { SkillSource, SourceChange, SourceContext, SourceFile, SourceSkill } from './skill-source.ts';

export type MemoryFile = string | Uint8Array | GenerateFile;

/** Files by path below the skill. */
export type MemoryFiles = Readonly<Record<string, MemoryFile>>;

/** Frontmatter of a skill from code; the name is the last segment of its path. */
export type MemoryFrontmatter = Readonly<Record<string, JsonValue>> & { readonly description: string };

/** A source of skills in memory that can be added and removed. */
export interface MemorySource extends SkillSource {
  /**
   * Adds a skill, or replaces the one with this path.
   *
   * @example
   * ```ts
   * skills.add('git-workflow', { 'SKILL.md': text, 'references/GUIDE.md': guide });
   * skills.add('reports/daily', { description: 'Figures of today' }, (context) => `# Today\n\n${figures(context)}`);
   * ```
   */
  add(path: string, files: MemoryFiles & { readonly 'SKILL.md': string | Uint8Array }): void;
  add(path: string, frontmatter: MemoryFrontmatter, body: string | GenerateFile, files?: MemoryFiles): void;
  /** Removes a skill; false if there is none. */
  remove(path: string): boolean;
}

interface StoredSkill {
  readonly files: ReadonlyMap<string, MemoryFile>;
  readonly frontmatter: Frontmatter;
  readonly findings: readonly Finding[];
  readonly skill: Promise<SourceSkill>;
  /** The resolved `skill`. */
  made?: SourceSkill;
}

/**
 * Serves skills from memory.
 *
 * @example
 * ```ts
 * const skills = memorySource({ 'git-workflow': { 'SKILL.md': '---\nname: git-workflow\ndescription: …\n---\n' } });
 * ```
 */
export function memorySource(
  initial: Readonly<Record<string, MemoryFiles & { readonly 'SKILL.md': string | Uint8Array }>> = {},
): MemorySource {
  const stored = new Map<string, StoredSkill>();
  const listeners = createListeners<SourceChange>();

  const findings = (): readonly Finding[] => [...stored.values()].flatMap((skill) => skill.findings);

  function notify(change: Omit<SourceChange, 'findings'>): void {
    listeners.call({ ...change, findings: findings() });
  }

  function store(
    path: string,
    frontmatter: Frontmatter,
    files: ReadonlyMap<string, MemoryFile>,
    found: readonly Finding[],
  ) {
    const uri = skillFileUri(path, skillFileName);
    const entry: StoredSkill = { files, frontmatter, findings: found, skill: describe(path, frontmatter, files) };
    stored.set(path, entry);
    // Digests are computed asynchronously. Listings wait for them; listeners hear of the skill once it is complete.
    entry.skill.then(
      (skill) => {
        entry.made = skill;
        if (stored.get(path) === entry) notify({ upserted: [skill], removed: [] });
      },
      () => {
        if (stored.get(path) === entry) notify({ upserted: [], removed: [uri] });
      },
    );
  }

  function add(
    path: string,
    second: MemoryFiles | MemoryFrontmatter,
    body?: string | GenerateFile,
    more: MemoryFiles = {},
  ) {
    const skillPath = pathOf(path);
    if (body !== undefined) {
      const frontmatter = { name: lastSegment(skillPath), ...(second as MemoryFrontmatter) };
      const head = composeSkillFile(frontmatter, typeof body === 'string' ? body : '');
      const checked = check(skillPath, head);
      const main: MemoryFile =
        typeof body === 'string' ? head : (context) => generate(body, checked.frontmatter, context);
      store(skillPath, checked.frontmatter, filesOf(skillPath, { ...more, [skillFileName]: main }), checked.findings);
      return;
    }
    const files = filesOf(skillPath, second as MemoryFiles);
    const main = files.get(skillFileName);
    if (main === undefined || typeof main === 'function')
      throw invalid(
        skillPath,
        `it has no "${skillFileName}" of text or bytes`,
        'Add one, or use add(path, frontmatter, generate)',
      );
    const checked = check(skillPath, main);
    store(skillPath, checked.frontmatter, files, checked.findings);
  }

  function owner(uri: string): { stored: StoredSkill; below: string } | undefined {
    const segments = tryParseSkillUri(uri)?.segments ?? [];
    for (let depth = segments.length - 1; depth > 0; depth--) {
      const skill = stored.get(segments.slice(0, depth).join('/'));
      const below = segments.slice(depth).join('/');
      if (skill?.files.has(below)) return { stored: skill, below };
    }
    return undefined;
  }

  async function open(uri: string, context: SourceContext): Promise<SourceFile | undefined> {
    const found = owner(uri);
    const content = found?.stored.files.get(found.below);
    if (content === undefined) return undefined;
    if (typeof content === 'function') {
      const isMain = found?.below === skillFileName;
      // `generate()` already limits the text of SKILL.md.
      const made = isMain ? content(context) : runGenerator(content, `"${found?.below}"`, context);
      return { bytes: toBytes(await made) };
    }
    const bytes = toBytes(content);
    return { bytes, digest: await sha256Digest(bytes) };
  }

  for (const [path, files] of Object.entries(initial)) add(path, files);

  return {
    name: 'memory',
    add,
    remove(path) {
      const skillPath = pathOf(path);
      const existed = stored.delete(skillPath);
      if (existed) notify({ upserted: [], removed: [skillFileUri(skillPath, skillFileName)] });
      return existed;
    },
    async *list() {
      const skills = await Promise.all([...stored.values()].map((entry) => entry.skill));
      yield { skills, findings: findings() };
    },
    async get(uri) {
      const parsed = tryParseSkillUri(uri);
      if (parsed?.segments.at(-1) !== skillFileName) return undefined;
      return stored.get(parsed.segments.slice(0, -1).join('/'))?.skill;
    },
    open,
    isCurrent(uri, digest) {
      const stored = owner(uri)?.stored;
      return andThen(stored?.made ?? stored?.skill, (skill) => {
        const resources = skill?.entry.resources;
        return Array.isArray(resources) && resources.some((file) => file.uri === uri && file.digest === digest);
      });
    },
    watch(listener) {
      return listeners.add(listener);
    },
  };
}

const encoder = new TextEncoder();

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? encoder.encode(content) : content;
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function invalid(path: string, fault: string, remedy: string): SkillwireError {
  return new SkillwireError(
    'INVALID_SKILL',
    `Cannot add the skill "${path}": ${fault}. ${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`,
    {
      data: { path },
    },
  );
}

/** The canonical decoded form of a path from code. */
function pathOf(path: string): string {
  return tryParseSkillUri(buildSkillUri(path))?.path ?? path;
}

function filesOf(skillPath: string, byPath: MemoryFiles): ReadonlyMap<string, MemoryFile> {
  const files = new Map<string, MemoryFile>();
  for (const [path, content] of Object.entries(byPath)) {
    const below = pathOf(path);
    // Both parts may be short enough and together still too long.
    parseSkillUri(skillFileUri(skillPath, below));
    if (files.has(below)) throw invalid(skillPath, `two files have the path "${below}"`, 'Rename one of them');
    // A copy, so that later changes by the owner cannot break the published digest.
    files.set(below, content instanceof Uint8Array ? content.slice() : content);
  }
  if (files.size > limits.skill.files)
    throw invalid(skillPath, `it has ${files.size} files, more than ${limits.skill.files}`, 'Split it');
  let bytes = 0;
  for (const content of files.values()) if (typeof content !== 'function') bytes += toBytes(content).length;
  if (bytes > limits.skill.bytes)
    throw invalid(skillPath, `it has ${bytes} bytes, more than ${limits.skill.bytes}`, 'Split it');
  return files;
}

function check(
  path: string,
  skillFile: string | Uint8Array,
): { frontmatter: Frontmatter; findings: readonly Finding[] } {
  const reading = readFrontmatter(toBytes(skillFile));
  if (!reading.ok) {
    const [first] = reading.findings.filter(({ level }) => level === 'problem');
    throw invalid(path, first?.message ?? 'its SKILL.md cannot be read', first?.remedy ?? 'Fix it');
  }
  if (reading.frontmatter.name !== lastSegment(path))
    throw invalid(path, `its name is "${reading.frontmatter.name}"`, 'End the path with the name');
  const skill = skillFileUri(path, skillFileName);
  return { frontmatter: reading.frontmatter, findings: reading.findings.map((found) => ({ ...found, skill })) };
}

async function describe(
  path: string,
  frontmatter: Frontmatter,
  files: ReadonlyMap<string, MemoryFile>,
): Promise<SourceSkill> {
  const uri = skillFileUri(path, skillFileName);
  if ([...files.values()].some((content) => typeof content === 'function')) {
    const entry: SkillEntry = { uri, frontmatter, resources: 'dynamic' };
    return { entry, listed: true, ttlMs: 0, cacheScope: 'private' };
  }
  const resources: SkillResource[] = [];
  const mediaTypes: Record<string, string> = {};
  for (const [below, content] of files) {
    const bytes = toBytes(content as string | Uint8Array);
    const file = { uri: skillFileUri(path, below), digest: await sha256Digest(bytes), size: bytes.length };
    resources.push(file);
    if (mediaTypeOf(below) === undefined) mediaTypes[file.uri] = mediaTypeFromBytes(below, bytes);
  }
  resources.sort((a, b) => (a.uri < b.uri ? -1 : 1));
  return { entry: { uri, frontmatter, resources }, listed: true, isLocal: true, mediaTypes };
}
