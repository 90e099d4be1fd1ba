/**
 * Answers to the calls of `hot-call.ts`, byte for byte what the SDK sends for the same call, and without it: the results of
 * `skill-methods.ts` are written as JSON here, from parts that are kept as JSON where that saves work. Nothing here knows a
 * transport.
 */
import { createByteCache } from '../../catalog/byte-cache.ts';
import type { Catalog, FileContent } from '../../catalog/catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
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
}

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
  const entries = createByteCache<SkillRecord, string>(limits.cache.entryBytes);
  const instructions = serverInstructions(catalog, options);
  const byName = methods.settings.served.has('sep-2076');
  const meta = `,"_meta":{"io.modelcontextprotocol/serverInfo":${JSON.stringify(options.info ?? defaultServerInfo)}}`;
  const discovered = `{"supportedVersions":["${hotRevision}"],"capabilities":${JSON.stringify(serverCapabilities(options))}`;

  function entryJson(record: SkillRecord): string {
    let json = entries.get(record);
    if (json === undefined) {
      json = JSON.stringify(record.entry);
      entries.put(record, json);
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

  async function listSkills({ id, cursor }: HotCall, context: SourceContext): Promise<PlainBody> {
    if (byName && !declaresSkills(context.clientCapabilities)) {
      const answer = await methods.listSkills({ cursor }, { era: 'modern', context });
      return `{"result":${JSON.stringify(answer).slice(0, -1)}${end(id, complete)}`;
    }
    const after = afterSkill({ cursor });
    const snapshot = catalog.now?.() ?? (await catalog.snapshot());
    const { bytes, last } = pages.page(snapshot, after);
    const head = encoder.encode('{"result":{"skills":[');
    const hint = hintJson(listHint(catalog, snapshot, context));
    const tail = encoder.encode(`]${end(id, cursorJson(last) + hint + complete)}`);
    return { length: head.length + bytes.length + tail.length, parts: [head, bytes, tail] };
  }

  async function getSkill({ id, uri }: HotCall, context: SourceContext): Promise<PlainBody> {
    const snapshot = catalog.now?.() ?? (await catalog.snapshot());
    const record = snapshot.skill(uri) ?? (await findSkill(catalog, uri, context));
    const hint = hintJson(skillHint(catalog, record, context));
    return `{"result":{"skill":${entryJson(record)}${end(id, hint + complete)}`;
  }

  async function readDirectory({ id, uri, cursor }: HotCall, context: SourceContext): Promise<PlainBody> {
    const snapshot = catalog.now?.() ?? (await catalog.snapshot());
    const { rows, last } = directoryPage(snapshot, { uri, cursor }, bounds);
    const hint = hintJson(listHint(catalog, snapshot, context));
    return `{"result":{"resources":${JSON.stringify(rows)}${end(id, cursorJson(last) + hint + complete)}`;
  }

  async function readResource({ id, uri }: HotCall, context: SourceContext): Promise<PlainBody> {
    let content: FileContent;
    try {
      content = await readFile(catalog, uri, context);
    } catch (error) {
      const found = isMissingFile(error) ? await methods.readAlias(uri, context) : undefined;
      if (found === undefined) throw error;
      return `{"result":{"contents":${JSON.stringify(found.contents)}${end(id, hintJson(found.hint) + complete)}`;
    }
    const hint = hintJson(skillHint(catalog, content.file.skill, context));
    const head = '{"result":{"contents":[';
    const tail = `]${end(id, hint + complete)}`;
    const whole = contents.whole(uri, content);
    if (whole !== undefined) return head + whole + tail;
    return largeContents(uri, content, head, tail);
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
