/**
 * Serves live skills as ordinary skills: `skill://<label>/<client>/<path>/SKILL.md`. Listing does not call a runtime,
 * except for texts that it declared as static. A skill appears when its runtime registers it and disappears with it;
 * nothing is stored. Patterns (`/items/:id/skill.md`) are not listed, but answered for concrete URIs.
 */
import { createListeners } from '../../async/listeners.ts';
import { matchPath } from '../../dialects/mdp/path-grammar.ts';
import { SkillwireError, VerificationError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { CallOutcome, RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import { quoteText } from '../../skill/display-text.ts';
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
import { type BuiltRuntime, type BuiltSkill, buildRuntime, dynamicSkill, liveSkillFile } from './built-runtime.ts';
import { type RuntimeDirectory, registryDirectory } from './runtime-directory.ts';
import { type LiveRuntime, type RuntimeSkill, runtimeAddress, templateSkill } from './runtime-skills.ts';

export interface MdpRuntimeOptions {
  /** First segment of all URIs. Default `mdp`. */
  readonly label?: string;
}

export const defaultRuntimeLabel = 'mdp';

/** The skills of the runtimes connected to this process. */
export function mdpRuntimeSource(registry: RuntimeRegistry, options: MdpRuntimeOptions = {}): SkillSource {
  return liveSource(registryDirectory(registry), options);
}

/** The skills of the runtimes in any directory. */
export function liveSource(
  directory: RuntimeDirectory,
  { label = defaultRuntimeLabel }: MdpRuntimeOptions = {},
): SkillSource {
  const built = new Map<string, BuiltRuntime>();
  /** Updates of one runtime run one after the other. */
  const jobs = new Map<string, Promise<void>>();
  const listeners = createListeners<SourceChange>();
  /** Skills of patterns that were served and not yet removed; the oldest makes room. */
  const concrete = new Map<string, RuntimeSkill>();
  let unwatch: (() => void) | undefined;

  const findings = (): readonly Finding[] => [
    ...(directory.findings?.() ?? []),
    ...[...built.values()].flatMap((runtime) => runtime.findings),
  ];

  function notify(upserted: readonly SourceSkill[], removed: readonly string[]): void {
    const change = { upserted, removed, findings: findings() };
    listeners.call(change);
  }

  async function directoryEntry(id: string, context: SourceContext): Promise<LiveRuntime | undefined> {
    if (directory.runtime !== undefined) return directory.runtime(id);
    return (await directory.runtimes(context)).find((runtime) => runtime.id === id);
  }

  async function renew(id: string, context: SourceContext, isReported: boolean): Promise<void> {
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
    if (isReported) notify(now, removed);
  }

  /** @param isReported false if the caller reads the whole state afterwards */
  function schedule(id: string, isReported: boolean): Promise<void> {
    const before = jobs.get(id) ?? Promise.resolve();
    // A runtime's failures never throw; the directory of this process is always available.
    const job = before
      .then(() => renew(id, {}, isReported))
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

  /** Reads the current state. */
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

  /** The skill of a pattern at a URI. */
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

  /** Remembered, so that its removal can be reported. */
  function remember(skill: RuntimeSkill): void {
    concrete.delete(skill.uri);
    concrete.set(skill.uri, skill);
    const [oldest] = concrete.keys();
    if (concrete.size <= limits.liveSkills.concrete || oldest === undefined) return;
    concrete.delete(oldest);
    notify([], [oldest]);
  }

  async function open(uri: string, context: SourceContext): Promise<SourceFile | undefined> {
    const canonical = tryParseSkillUri(uri)?.uri ?? uri;
    const known = builtAt(canonical);
    if (known?.file !== undefined) return { ...known.file };
    const skill = known?.runtimeSkill ?? (await patternSkill(canonical, context));
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

  function watch(listener: (change: SourceChange) => void): () => void {
    const remove = listeners.add(listener);
    follow();
    return remove;
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
      const canonical = tryParseSkillUri(uri)?.uri ?? uri;
      if (unwatch === undefined) await read(context);
      const known = builtAt(canonical);
      if (known !== undefined) return known.source;
      const skill = await patternSkill(canonical, context);
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
    watch: directory.watch === undefined ? undefined : watch,
    async close() {
      unwatch?.();
      listeners.clear();
      await directory.close?.();
    },
  };
}

/** Maps a failed call to an error for readers; `undefined` if the skill simply does not exist any more. */
export function outcomeError(
  uri: string,
  { error, hub }: Extract<CallOutcome, { ok: false }>,
): SkillwireError | undefined {
  const data = { uri, ...(hub === undefined ? { code: error.code } : { reason: hub }) };
  const failed = `Cannot read "${uri}": ${quoteText(error.message)}.`;
  switch (hub) {
    case 'not-connected':
    case 'not-found':
      return undefined;
    case 'reconnecting':
      return new SkillwireError(
        'RECONNECTING',
        `Cannot read "${uri}": its program is reconnecting. Try again in some seconds.`,
        { data },
      );
    case 'gone':
      return new SkillwireError('UNREACHABLE', `${failed} The runtime disconnected during the call. Try again.`, {
        data,
      });
    case 'timeout':
      return new SkillwireError('TIMED_OUT', `${failed} Check the runtime, or try again.`, { data });
    case 'too-large':
      return new SkillwireError('LIMIT_EXCEEDED', failed, { data });
    case 'mismatch':
      return new VerificationError('digest', `${failed} The answer is not used.`, { data });
    case 'busy':
      return new SkillwireError('ORIGIN_FAILED', `${failed} Try again later.`, { data });
    default:
      return new SkillwireError(
        'ORIGIN_FAILED',
        `Cannot read "${uri}": its runtime failed: ${quoteText(error.message)}.`,
        { data },
      );
  }
}

export function notText(uri: string): SkillwireError {
  return new SkillwireError(
    'BAD_ANSWER',
    `Cannot read "${uri}": its runtime did not answer with text. Report this to its author.`,
    {
      data: { uri },
    },
  );
}
