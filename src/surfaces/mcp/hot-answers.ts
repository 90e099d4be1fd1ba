/**
 * Answers to the calls of `hot-call.ts`, byte for byte what the SDK sends for the same call, and without it: the results of
 * `skill-methods.ts` are written as JSON here, from parts that are kept as JSON where that saves work. Nothing here knows a
 * transport.
 */
import { createBoundedCache } from '../../async/bounded-cache.ts';
import type { Catalog, FileContent } from '../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import type { SourceContext } from '../../sources/skill-source.ts';
import type { PlainBody } from '../plain-answer.ts';
import { type CacheHint, catalogHint, listHint, type MethodCall, skillHint } from './cache-fields.ts';
import { afterSkill, directoryPage, findSkill, isMissingFile, readFile } from './catalog-lookups.ts';
import { createContentsJson, largeContents } from './contents-json.ts';
import { encodeCursor } from './cursors.ts';
import { type HotCall, hotRevision } from './hot-call.ts';
import { createListingPages } from './listing-pages.ts';
import { wireError } from './method-errors.ts';
import { pageBounds } from './pages.ts';
import { createServedMethods } from './served-methods.ts';
import { serverInstructions } from './server-instructions.ts';
import { defaultServerInfo, type SkillsServerOptions, serverCapabilities } from './server-options.ts';
import type { SkillMethods } from './skill-methods.ts';
import { declaresSkills } from './skills-capability.ts';

export interface HotAnswers {
  /** The JSON-RPC response to a call, also where it is an error. */
  answer(call: HotCall, context: SourceContext): Promise<PlainBody>;
  /** The same, where nothing has to be waited for and nothing is wrong; else undefined. */
  answerNow(call: HotCall, caller: Caller): PlainBody | undefined;
}

/** Who asks. */
export type Caller = Pick<SourceContext, 'principal' | 'clientCapabilities'>;

const encoder = new TextEncoder();

function cursorJson(last: string | undefined): string {
  return last === undefined ? '' : `,"nextCursor":"${encodeCursor(last)}"`;
}

function hintJson({ ttlMs, cacheScope }: CacheHint): string {
  return `,"ttlMs":${ttlMs},"cacheScope":"${cacheScope}"`;
}

const complete = ',"resultType":"complete"';

export function createHotAnswers(
  catalog: Catalog,
  options: SkillsServerOptions,
  methods: SkillMethods = createServedMethods(catalog, options),
): HotAnswers {
  const bounds = pageBounds(options.pages);
  const pages = createListingPages(bounds);
  const contents = createContentsJson();
  const entries = createBoundedCache<SkillRecord, string>(limits.cache.entryBytes, limits.cache.entryBytes / 4);
  const instructions = serverInstructions(catalog, options);
  const byName = methods.settings.served.has('sep-2076');
  const meta = `,"_meta":{"io.modelcontextprotocol/serverInfo":${JSON.stringify(options.info ?? defaultServerInfo)}}`;
  const discovered = `{"supportedVersions":["${hotRevision}"],"capabilities":${JSON.stringify(serverCapabilities(options))}`;

  function entryJson(record: SkillRecord): string {
    let json = entries.get(record);
    if (json === undefined) {
      json = JSON.stringify(record.entry);
      entries.put(record, json, json.length);
    }
    return json;
  }

  /** What follows the first fields of a result. */
  function end(id: HotCall['id'], fields: string): string {
    return `${fields}${meta}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  }

  function discover({ id }: HotCall, { principal }: SourceContext): PlainBody {
    const text = instructions();
    const told = text === '' ? '' : `,"instructions":${JSON.stringify(text)}`;
    const hint = catalogHint(catalog, principal !== undefined);
    return `{"result":${discovered}${told}${end(id, complete + hintJson(hint))}`;
  }

  /** Older clients are told which skills there are by their names. */
  const wantsNames = ({ clientCapabilities }: Caller): boolean => byName && !declaresSkills(clientCapabilities);

  async function listSkills(call: HotCall, context: SourceContext): Promise<PlainBody> {
    if (!wantsNames(context)) return listing(call, catalog.now?.() ?? (await catalog.snapshot()), context);
    const answer = await methods.listSkills({ cursor: call.cursor }, { era: 'modern', context });
    return `{"result":${JSON.stringify(answer).slice(0, -1)}${end(call.id, complete)}`;
  }

  function listing({ id, cursor }: HotCall, snapshot: Snapshot, caller: Caller): PlainBody {
    const { bytes, last } = pages.page(snapshot, afterSkill({ cursor }));
    const head = encoder.encode('{"result":{"skills":[');
    const hint = hintJson(listHint(catalog, snapshot, caller));
    const tail = encoder.encode(`]${end(id, cursorJson(last) + hint + complete)}`);
    return { length: head.length + bytes.length + tail.length, parts: [head, bytes, tail] };
  }

  async function getSkill(call: HotCall, context: SourceContext): Promise<PlainBody> {
    const snapshot = catalog.now?.() ?? (await catalog.snapshot());
    return skill(call, snapshot.skill(call.uri) ?? (await findSkill(catalog, call.uri, context)), context);
  }

  function skill({ id }: HotCall, record: SkillRecord, caller: Caller): PlainBody {
    const hint = hintJson(skillHint(catalog, record, caller));
    return `{"result":{"skill":${entryJson(record)}${end(id, hint + complete)}`;
  }

  async function readDirectory({ id, uri, cursor }: HotCall, context: SourceContext): Promise<PlainBody> {
    const snapshot = catalog.now?.() ?? (await catalog.snapshot());
    const { rows, last } = directoryPage(snapshot, { uri, cursor }, bounds);
    const hint = hintJson(listHint(catalog, snapshot, context));
    return `{"result":{"resources":${JSON.stringify(rows)}${end(id, cursorJson(last) + hint + complete)}`;
  }

  async function readResource(call: HotCall, context: SourceContext): Promise<PlainBody> {
    const { id, uri } = call;
    let content: FileContent;
    try {
      content = await readFile(catalog, uri, context);
    } catch (error) {
      const found = isMissingFile(error) ? await methods.readAlias(uri, context) : undefined;
      if (found === undefined) throw error;
      return `{"result":{"contents":${JSON.stringify(found.contents)}${end(id, hintJson(found.hint) + complete)}`;
    }
    return smallFile(call, content, context) ?? largeContents(uri, content, fileHead, fileTail(call, content, context));
  }

  const fileHead = '{"result":{"contents":[';

  function fileTail({ id }: HotCall, { file }: FileContent, caller: Caller): string {
    return `]${end(id, hintJson(skillHint(catalog, file.skill, caller)) + complete)}`;
  }

  /** Undefined for a file that has to leave in pieces. */
  function smallFile(call: HotCall, content: FileContent, caller: Caller): string | undefined {
    const whole = contents.whole(call.uri, content);
    return whole === undefined ? undefined : fileHead + whole + fileTail(call, content, caller);
  }

  function resultNow(call: HotCall, caller: Caller): PlainBody | undefined {
    const snapshot = catalog.now?.();
    if (snapshot === undefined) return undefined;
    switch (call.method) {
      case 'skills/list':
        return wantsNames(caller) ? undefined : listing(call, snapshot, caller);
      case 'skills/get': {
        const record = snapshot.skill(call.uri);
        return record === undefined ? undefined : skill(call, record, caller);
      }
      case 'resources/read': {
        const content = catalog.readNow?.(call.uri);
        return content === undefined ? undefined : smallFile(call, content, caller);
      }
      default:
        return undefined;
    }
  }

  function answerTo(call: HotCall, context: SourceContext): PlainBody | Promise<PlainBody> {
    switch (call.method) {
      case 'skills/list':
        return listSkills(call, context);
      case 'skills/get':
        return getSkill(call, context);
      case 'resources/read':
        return readResource(call, context);
      case 'resources/directory/read':
        return readDirectory(call, context);
      case 'server/discover':
        return discover(call, context);
    }
  }

  return {
    answerNow(call, caller) {
      try {
        return resultNow(call, caller);
      } catch {
        // What is wrong is found again, and told, by the other way.
        return undefined;
      }
    },
    async answer(call, context) {
      try {
        return await answerTo(call, context);
      } catch (error) {
        const asked: MethodCall = { era: 'modern', context };
        const refusal = wireError(error, asked, options.onerror);
        return JSON.stringify({ jsonrpc: '2.0', id: call.id, error: refusal });
      }
    },
  };
}
