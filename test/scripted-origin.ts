/** An origin in memory for tests of the host: it serves skills truly, lies on demand, fails on demand, and counts calls. */
import { SkillwireError } from '../src/errors.ts';
import type { HostOrigin } from '../src/host/host.ts';
import { type MemoryFiles, type MemorySource, memorySource } from '../src/sources/memory.ts';
import type { PlainResource, SkillSource, SourceContext, SourceSkill } from '../src/sources/skill-source.ts';
import type { AuditRecord, Store } from '../src/store/store.ts';

export interface ScriptedCall {
  readonly method: 'list' | 'get' | 'open' | 'readResource';
  readonly uri?: string;
  readonly context: SourceContext;
}

export interface ScriptedOrigin extends HostOrigin {
  readonly skills: MemorySource;
  readonly calls: ScriptedCall[];
  /** Served instead of the true bytes; undefined: not served at all. */
  readonly lies: Map<string, Uint8Array | undefined>;
  /** Answered instead of the true entry; undefined: no such skill. */
  readonly entries: Map<string, SourceSkill | undefined>;
  /** Served by URI, but not listed. */
  readonly unlisted: Set<string>;
  readonly resources: Map<string, PlainResource>;
  /** Thrown by every call while it is set. */
  failure: Error | undefined;
  ttlMs: number | undefined;
  /** Called before each call is answered. */
  before: ((call: ScriptedCall) => void | Promise<void>) | undefined;
  closed: boolean;
  count(method: ScriptedCall['method']): number;
}

export const skillMd = (name: string, extra = '', body = `# ${name}\n`): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${extra}---\n\n${body}`;

export type ScriptedSkills = Readonly<Record<string, MemoryFiles & { readonly 'SKILL.md': string | Uint8Array }>>;

export function scriptedOrigin(label: string, skills: ScriptedSkills = {}, local = false): ScriptedOrigin {
  const memory = memorySource(skills);
  const calls: ScriptedCall[] = [];
  const called = async (call: ScriptedCall): Promise<void> => {
    calls.push(call);
    await origin.before?.(call);
    if (origin.failure !== undefined) throw origin.failure;
  };
  const aged = (skill: SourceSkill): SourceSkill => ({
    ...skill,
    listed: !origin.unlisted.has(skill.entry.uri),
    ...(origin.ttlMs === undefined ? {} : { ttlMs: origin.ttlMs }),
  });
  const source: SkillSource = {
    name: `scripted ${label}`,
    async *list(context) {
      await called({ method: 'list', context });
      for await (const page of memory.list(context))
        yield { ...page, skills: page.skills.map(aged).filter(({ listed }) => listed) };
    },
    async get(uri, context) {
      await called({ method: 'get', uri, context });
      if (origin.entries.has(uri)) return origin.entries.get(uri);
      const found = await memory.get(uri, context);
      return found === undefined ? undefined : aged(found);
    },
    async open(uri, context) {
      await called({ method: 'open', uri, context });
      if (!origin.lies.has(uri)) return memory.open(uri, context);
      const bytes = origin.lies.get(uri);
      if (bytes !== undefined && context.maxBytes !== undefined && bytes.length > context.maxBytes)
        throw new SkillwireError('LIMIT_EXCEEDED', `"${uri}" has more than ${context.maxBytes} bytes`);
      return bytes === undefined ? undefined : { bytes };
    },
    async readResource(uri, context) {
      await called({ method: 'readResource', uri, context });
      const plain = origin.resources.get(uri);
      if (plain !== undefined) return [plain];
      const file = await memory.open(uri, context);
      return file === undefined ? undefined : [{ uri, bytes: file.bytes }];
    },
    async close() {
      origin.closed = true;
    },
  };
  const origin: ScriptedOrigin = {
    label,
    local,
    source,
    skills: memory,
    calls,
    lies: new Map(),
    entries: new Map(),
    unlisted: new Set(),
    resources: new Map(),
    failure: undefined,
    ttlMs: undefined,
    before: undefined,
    closed: false,
    count: (method) => calls.filter((call) => call.method === method).length,
  };
  return origin;
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export async function auditOf(store: Store): Promise<readonly AuditRecord[]> {
  const records: AuditRecord[] = [];
  for await (const record of store.audit.read()) records.push(record);
  return records;
}
