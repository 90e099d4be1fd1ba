/**
 * Serves the skills of an MCP server: over Streamable HTTP, over stdio, or over a connected client; in both protocol eras. A server that
 * declares the final extension (SEP-2640) and answers is read by that alone. Any other one is read by the older dialect that it speaks
 * (`dialects/`). The source requests only what the server declares (H-1, H-2) and accepts no file that it did not request (H-37). It never
 * reports "no skills" for a server that did not answer. Unusable entries are refused one by one, with reasons. Bytes come with their
 * digest; callers compare it with the promised one.
 */
import type { DialectId } from '../../dialects/dialect-skill.ts';
import type { CompletionAnswer } from '../../dialects/resource-templates/completion.ts';
import type { ParsedSkillTemplate } from '../../dialects/resource-templates/skill-templates.ts';
import { decodeCapabilities, type SkillsCapability } from '../../dialects/skills-extension/capability.ts';
import {
  type DirectoryPage,
  decodeDirectoryResult,
  decodePlainResult,
  decodeReadResult,
} from '../../dialects/skills-extension/decode-resources.ts';
import { decodeGetResult } from '../../dialects/skills-extension/decode-skills.ts';
import type { AnswerRules, Remark } from '../../dialects/skills-extension/remark.ts';
import { decodeSearchAnswer, hasSearchTool, searchToolName } from '../../dialects/skills-extension/search-tool.ts';
import { limits } from '../../limits.ts';
import { deepFreeze, isDeepFrozen } from '../../skill/deep-freeze.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import { tryParseResourceUri } from '../../skill/resource-uri.ts';
import type { DirectoryChild, SkillSource, SourceContext, SourceSkill, SourceStatus } from '../skill-source.ts';
import { type Connection, closedError } from './connection.ts';
import { createDialectChoice } from './dialect-choice.ts';
import { answerBytes, isNotFound } from './dialects/ask.ts';
import type { CompletionQuestion } from './dialects/templates.ts';
import { createListing, type TimedPage } from './listing.ts';
import { badDirectory, noSkills, originError } from './origin-errors.ts';
import { walkPages } from './page-walk.ts';
import { listSkills } from './skill-listing.ts';
import { RpcError, type Wire, type WireRequestOptions } from './wire.ts';

export interface ServerOriginOptions {
  /** For messages. Default: the address or the command. */
  readonly name?: string;
  /** Per request. Default one minute. */
  readonly timeoutMs?: number;
  /** Request skills even if the server does not declare them: some SDKs lose the declaration. */
  readonly assumeSkills?: boolean;
  /** The only dialect to read, declared or not. Default: the dialect that the server is found to speak. */
  readonly dialect?: DialectId;
  /** Dialects never to read. */
  readonly forbidDialects?: readonly DialectId[];
  /** Called for each tolerated deviation from the specification. */
  readonly onRemark?: (remark: Remark) => void;
  /** Computes `sha256:...`. Default: WebCrypto, whose overhead exceeds the hashing for small files. */
  readonly digest?: (bytes: Uint8Array) => string | Promise<string>;
}

export interface McpServerSource extends SkillSource {
  status(context: SourceContext): Promise<SourceStatus>;
  readDirectory(uri: string, context: SourceContext): Promise<readonly DirectoryChild[] | undefined>;
  readResource: NonNullable<SkillSource['readResource']>;
  /** Templates of skills that are not listed. Costs a request; nothing else fetches them. */
  skillTemplates(context: SourceContext): Promise<readonly ParsedSkillTemplate[]>;
  /** Values for a variable of a template; `undefined` if the server does not complete anything. */
  complete(question: CompletionQuestion, context: SourceContext): Promise<CompletionAnswer | undefined>;
  /** Any request, with its raw answer, for programs that check servers. An error from the server is `ORIGIN_FAILED`. */
  request(method: string, params: Readonly<Record<string, unknown>>, context: SourceContext): Promise<unknown>;
  close(): Promise<void>;
}

interface DecodedEntry {
  readonly skill: SourceSkill;
  readonly remarks: readonly Remark[];
}

export function connectionSource(name: string, connection: Connection, options: ServerOriginOptions): McpServerSource {
  const {
    timeoutMs: deadlineMs = limits.origin.deadlineMs,
    assumeSkills = false,
    onRemark,
    digest = sha256Digest,
  } = options;
  const choice = createDialectChoice({
    name,
    connection,
    deadlineMs,
    rules: { force: options.dialect, forbid: options.forbidDialects },
    assumeSkills,
    digest,
    onRemark: (remark) => onRemark?.(remark),
  });

  function report(remarks: readonly Remark[]): void {
    if (onRemark !== undefined) for (const remark of remarks) onRemark(remark);
  }

  function callOptions({ signal }: SourceContext, maxBytes: number): WireRequestOptions {
    return { deadlineMs, maxBytes, signal };
  }

  /** Throws if the server does not serve skills. */
  async function skillsWire(signal?: AbortSignal): Promise<{ wire: Wire; capability: SkillsCapability }> {
    const wire = await connection.wire(signal);
    const capability = decodeCapabilities(wire.capabilities);
    if (!capability.declared && !choice.asksExtension(wire) && !choice.older) throw noSkills(name, wire, capability);
    return { wire, capability };
  }

  /** The answer; `undefined` if the server does not know the URI. */
  async function ask(
    method: string,
    uri: string,
    context: SourceContext,
    maxBytes: number,
    repeated = false,
  ): Promise<{ readonly result: unknown } | undefined> {
    try {
      const wanted = callOptions(context, maxBytes);
      return { result: await connection.request(method, { uri }, repeated ? { ...wanted, repeated } : wanted) };
    } catch (error) {
      if (error instanceof RpcError && isNotFound(error)) return undefined;
      throw originError(name, method, error);
    }
  }

  /** Decoded entries by deep-frozen result, which cannot have changed. */
  const decoded = new WeakMap<object, DecodedEntry>();

  function entryOf(result: unknown, uri: string, { rules }: Wire): DecodedEntry {
    const known = isDeepFrozen(result) ? decoded.get(result) : undefined;
    if (known?.skill.entry.uri === uri) return known;
    const { skill, ttlMs, cacheScope, remarks } = decodeGetResult(result, uri, rules);
    const entry = { skill: { ...skill, listed: true, ttlMs, cacheScope }, remarks };
    if (isDeepFrozen(result)) {
      deepFreeze(entry.skill.entry);
      decoded.set(result, deepFreeze(entry));
    }
    return entry;
  }

  const listing = createListing({ fetch: (give, signal) => choice.list(give, signal, listExtension) });

  function listExtension(wire: Wire, give: (page: TimedPage) => void, signal: AbortSignal): Promise<boolean> {
    return listSkills(
      {
        rules: wire.rules,
        request: (params, wanted) => connection.request('skills/list', params, wanted),
        deadlineMs,
        remarks: decodeCapabilities(wire.capabilities).remarks,
        onRemark,
      },
      give,
      signal,
    );
  }

  return {
    name,
    watched: false,
    list: (context) => listing.pages(context),

    async get(uri, context) {
      const wire = await connection.wire(context.signal);
      const parsed = tryParseResourceUri(uri);
      if (parsed === undefined || parsed.segments.length < 2 || parsed.segments.at(-1) !== skillFileName)
        return undefined;
      if (!choice.asksExtension(wire)) return choice.get(uri, context);
      const answer = await ask('skills/get', uri, context, limits.origin.pageBytes, true);
      if (answer === undefined) return undefined;
      const { skill, remarks } = entryOf(answer.result, uri, wire);
      report(remarks);
      return skill;
    },

    async open(uri, context) {
      if (tryParseResourceUri(uri) === undefined) return undefined;
      const wire = await connection.wire(context.signal);
      if (!choice.asksExtension(wire)) return choice.open(uri, context);
      const maxBytes = context.maxBytes ?? limits.skill.bytes;
      const answer = await ask('resources/read', uri, context, answerBytes(maxBytes));
      if (answer === undefined) return undefined;
      const { bytes } = decodeReadResult(answer.result, uri, { maxBytes, rules: wire.rules });
      const hash = digest(bytes);
      return { bytes, digest: typeof hash === 'string' ? hash : await hash };
    },

    async readResource(uri, context) {
      if (uri === '' || uri.length > limits.uri.characters) return undefined;
      const { rules: answerRules } = await connection.wire(context.signal);
      const maxBytes = context.maxBytes ?? limits.skill.bytes;
      const answer = await ask('resources/read', uri, context, answerBytes(maxBytes));
      return answer === undefined ? undefined : decodePlainResult(answer.result, uri, { maxBytes, rules: answerRules });
    },

    async readDirectory(uri, context) {
      const { wire, capability } = await skillsWire(context.signal);
      if (!capability.directoryRead || tryParseResourceUri(uri) === undefined) return undefined;
      try {
        return await readDirectory({ uri, context, rules: wire.rules, deadlineMs, connection, report });
      } catch (error) {
        if (error instanceof RpcError && isNotFound(error)) return undefined;
        throw originError(name, 'resources/directory/read', error);
      }
    },

    async status(context) {
      if (context.fresh === true) connection.refresh();
      const wire = await connection.wire(context.signal);
      const { declared, directoryRead, remarks } = decodeCapabilities(wire.capabilities);
      report(remarks);
      const dialect = choice.dialect(wire);
      return {
        ...(wire.protocolVersion === '' ? {} : { protocolVersion: wire.protocolVersion }),
        serverInfo: wire.serverInfo,
        instructions: wire.instructions,
        dialect,
        skills: declared,
        directoryRead,
      };
    },

    async search(query, limit, context) {
      const { capabilities } = await connection.wire(context.signal);
      if (!isJsonObject(capabilities) || !isJsonObject(capabilities.tools)) return undefined;
      const call = (method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> =>
        connection.request(method, params, callOptions(context, limits.origin.pageBytes));
      try {
        if (!hasSearchTool(await call('tools/list', {}))) return undefined;
        const params = { name: searchToolName, arguments: { query, limit } };
        return decodeSearchAnswer(await call('tools/call', params), limit);
      } catch (error) {
        throw originError(name, searchToolName, error);
      }
    },

    skillTemplates: choice.templates,
    complete: choice.complete,

    async request(method, params, context) {
      try {
        return await connection.request(
          method,
          params,
          callOptions(context, context.maxBytes ?? limits.origin.pageBytes),
        );
      } catch (error) {
        throw originError(name, method, error);
      }
    },

    async close() {
      listing.clear(closedError(name));
      choice.clear();
      await connection.close();
    },
  };
}

export interface DirectoryReading {
  readonly uri: string;
  readonly context: SourceContext;
  readonly rules: AnswerRules;
  readonly deadlineMs: number;
  readonly connection: Connection;
  readonly report: (remarks: readonly Remark[]) => void;
}

export /** Reads all pages of `resources/directory/read`, or fails (sec:C-5): a part could be mistaken for the whole. */
async function readDirectory(reading: DirectoryReading): Promise<readonly DirectoryChild[]> {
  const { uri, context, rules, deadlineMs, connection, report } = reading;
  const signal = { signal: context.signal };
  const children = new Map<string, DirectoryChild>();

  function take(page: DirectoryPage): number {
    report(page.remarks);
    for (const child of page.children) {
      if (children.has(child.uri)) throw badDirectory(uri, `${quoteText(child.uri)} is listed twice`);
      children.set(child.uri, child);
    }
    if (children.size > limits.origin.children)
      throw badDirectory(uri, `it has more than ${limits.origin.children} children`);
    return page.children.length;
  }

  const cut = await walkPages<DirectoryPage>({
    deadlineMs,
    ...signal,
    take,
    async fetch({ cursor, ...options }) {
      const params = cursor === undefined ? { uri } : { uri, cursor };
      const result = await connection.request('resources/directory/read', params, { ...options, ...signal });
      return decodeDirectoryResult(result, uri, rules);
    },
  });
  if (cut !== undefined) throw badDirectory(uri, cut);
  return [...children.values()];
}
