/**
 * Live skills as ordinary skills: `skill://<label>/<client>/<path>/SKILL.md`. What a runtime exposes is listed without asking it
 * for a text, except for texts that it declared never to change. A skill appears when its runtime registers it and goes with it;
 * nothing of it is kept afterwards. Patterns (`/items/:id/skill.md`) are not listed, but answered for concrete URIs.
 */
import { matchPath } from '../../dialects/mdp/path-grammar.ts';
import { limits } from '../../limits.ts';
import type { RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import type { Finding } from '../../skill/finding.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type {
  SkillSource,
  SkillTemplate,
  SourceChange,
  SourceContext,
  SourceFile,
  SourceSkill,
} from '../skill-source.ts';
import { type BuiltRuntime, type BuiltSkill, buildRuntime, dynamicSkill } from './built-runtime.ts';
import { liveSkillFile } from './live-text.ts';
import { type RuntimeDirectory, registryDirectory } from './runtime-directory.ts';
import { notText, outcomeError } from './runtime-errors.ts';
import { type LiveRuntime, type RuntimeSkill, runtimeAddress, templateSkill } from './runtime-skills.ts';

export interface MdpRuntimeOptions {
  /** First segment of all URIs. Default `mdp`. */
  readonly label?: string;
}

export const defaultRuntimeLabel = 'mdp';

/** The skills of the runtimes that are connected to this process. */
export function mdpRuntimeSource(registry: RuntimeRegistry, options: MdpRuntimeOptions = {}): SkillSource {
  return liveSource(registryDirectory(registry), options);
}

/** The skills of the runtimes in a directory, wherever that is. */
export function liveSource(
  directory: RuntimeDirectory,
  { label = defaultRuntimeLabel }: MdpRuntimeOptions = {},
): SkillSource {
  const built = new Map<string, BuiltRuntime>();
  /** Work on each runtime goes one after the other. */
  const jobs = new Map<string, Promise<void>>();
  const listeners = new Set<(change: SourceChange) => void>();
  /** Skills of patterns that were given out and not taken back; the oldest makes room. */
  const concrete = new Map<string, RuntimeSkill>();
  let unwatch: (() => void) | undefined;

  const findings = (): readonly Finding[] => [
    ...(directory.findings?.() ?? []),
    ...[...built.values()].flatMap((runtime) => runtime.findings),
  ];

  function tell(upserted: readonly SourceSkill[], removed: readonly string[]): void {
    const change = { upserted, removed, findings: findings() };
    for (const listener of [...listeners]) listener(change);
  }

  async function directoryEntry(id: string, context: SourceContext): Promise<LiveRuntime | undefined> {
    if (directory.runtime !== undefined) return directory.runtime(id);
    return (await directory.runtimes(context)).find((runtime) => runtime.id === id);
  }

  async function renew(id: string, context: SourceContext, told: boolean): Promise<void> {
    const runtime = await directoryEntry(id, context);
    const before = built.get(id);
    const after = runtime === undefined ? undefined : await buildRuntime(label, runtime, directory, before, context);
    if (after === undefined) built.delete(id);
    else built.set(id, after);
    const removed = [...(before?.skills.keys() ?? [])].filter((uri) => after?.skills.has(uri) !== true);
    for (const [uri, skill] of concrete)
      if (skill.clientId === id) {
        concrete.delete(uri);
        if (after?.skills.has(uri) !== true) removed.push(uri);
      }
    const now = [...(after?.skills.values() ?? [])].map(({ source }) => source);
    if (told) tell(now, removed);
  }

  /** @param told false where the caller takes the state as a whole afterwards */
  function schedule(id: string, told: boolean): Promise<void> {
    const before = jobs.get(id) ?? Promise.resolve();
    // What a runtime does never throws; the directory of this process is always there.
    const job = before
      .then(() => renew(id, {}, told))
      .finally(() => {
        if (jobs.get(id) === job) jobs.delete(id);
      });
    jobs.set(id, job);
    return job;
  }

  function follow(): void {
    if (unwatch !== undefined || directory.watch === undefined) return;
    unwatch = directory.watch((changed) => {
      for (const id of changed) void schedule(id, true);
    });
  }

  /** Everything as it is now. */
  async function read(context: SourceContext): Promise<void> {
    const runtimes = await directory.runtimes(context);
    if (unwatch !== undefined) {
      const ids = new Set([...built.keys(), ...runtimes.map(({ id }) => id)]);
      await Promise.all([...ids].map((id) => schedule(id, false)));
      return;
    }
    const next = await Promise.all(
      runtimes.map((runtime) => buildRuntime(label, runtime, directory, built.get(runtime.id), context)),
    );
    built.clear();
    for (const runtime of next) built.set(runtime.runtime.id, runtime);
  }

  async function runtimeOf(id: string, context: SourceContext): Promise<LiveRuntime | undefined> {
    return unwatch === undefined ? directoryEntry(id, context) : built.get(id)?.runtime;
  }

  /** The skill that a pattern has at a URI. */
  async function patternSkill(uri: string, context: SourceContext): Promise<RuntimeSkill | undefined> {
    const address = runtimeAddress(label, uri);
    const runtime = address === undefined ? undefined : await runtimeOf(address.clientId, context);
    if (address === undefined || runtime === undefined) return undefined;
    const patterns = built.get(runtime.id)?.templates.map(({ descriptor }) => descriptor) ?? [];
    const path = `${address.folder}/skill.md`;
    const match = matchPath(patterns, path) ?? matchPath(patterns, `${address.folder}/SKILL.md`);
    if (match === undefined) return undefined;
    const leaf = match.pattern.path.slice(match.pattern.path.lastIndexOf('/'));
    return templateSkill(label, runtime, match.pattern, `${address.folder}${leaf}`);
  }

  function builtAt(uri: string): BuiltSkill | undefined {
    const address = runtimeAddress(label, uri);
    return address === undefined ? undefined : built.get(address.clientId)?.skills.get(uri);
  }

  /** Remembered, so that whoever was told of it hears when it goes. */
  function remember(skill: RuntimeSkill): void {
    concrete.delete(skill.uri);
    concrete.set(skill.uri, skill);
    const [oldest] = concrete.keys();
    if (concrete.size <= limits.liveSkills.concrete || oldest === undefined) return;
    concrete.delete(oldest);
    tell([], [oldest]);
  }

  async function open(uri: string, context: SourceContext): Promise<SourceFile | undefined> {
    const own = tryParseSkillUri(uri)?.uri ?? uri;
    const known = builtAt(own);
    if (known?.file !== undefined) return { ...known.file };
    const skill = known?.runtimeSkill ?? (await patternSkill(own, context));
    if (skill === undefined) return undefined;
    const outcome = await directory.call(skill.clientId, skill.path, context);
    if (!outcome.ok) {
      const error = outcomeError(uri, outcome);
      if (error === undefined) return undefined;
      throw error;
    }
    if (typeof outcome.data !== 'string') throw notText(uri);
    const paths = new Map(
      [...(built.get(skill.clientId)?.skills.values() ?? [])].map(({ runtimeSkill: { path, uri } }) => [path, uri]),
    );
    const bytes = liveSkillFile(skill.frontmatter, outcome.data, (path) => paths.get(path));
    return { bytes, madeFrom: outcome.data };
  }

  return {
    name: directory.name,
    watched: directory.watch !== undefined,
    async *list(context) {
      follow();
      await read(context);
      const skills = [...built.values()].flatMap((runtime) => [...runtime.skills.values()].map(({ source }) => source));
      yield { skills, findings: findings() };
    },
    async get(uri, context) {
      const own = tryParseSkillUri(uri)?.uri ?? uri;
      if (unwatch === undefined) await read(context);
      const known = builtAt(own);
      if (known !== undefined) return known.source;
      const skill = await patternSkill(own, context);
      if (skill === undefined) return undefined;
      remember(skill);
      return dynamicSkill(skill, false);
    },
    open,
    async isCurrent(uri, digest) {
      return builtAt(uri)?.file?.digest === digest;
    },
    async templates(): Promise<readonly SkillTemplate[]> {
      return [...built.values()].flatMap(({ runtime, templates }) =>
        templates.map(({ uriTemplate, descriptor, description }) => ({
          uriTemplate,
          name: `${runtime.id}${descriptor.path}`,
          description,
        })),
      );
    },
    ...(directory.watch === undefined
      ? {}
      : {
          watch(listener: (change: SourceChange) => void) {
            listeners.add(listener);
            follow();
            return () => listeners.delete(listener);
          },
        }),
    async close() {
      unwatch?.();
      listeners.clear();
      await directory.close?.();
    },
  };
}
