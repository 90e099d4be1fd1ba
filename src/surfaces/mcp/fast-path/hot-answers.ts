/**
 * Answers the calls of `hot-call.ts` without the SDK, but byte for byte as the SDK does: results of `skill-methods.ts` are serialized here.
 * Pages of skills and contents of files are cached as JSON, which saves most of the work. Answers are synchronous if nothing must be
 * awaited. Independent of transports.
 */
import { createBoundedCache } from '../../../async/bounded-cache.ts';
import { andThen, type MaybePromise, orElse } from '../../../async/maybe-promise.ts';
import type { Catalog, FileContent } from '../../../catalog/catalog.ts';
import type { Snapshot } from '../../../catalog/snapshot.ts';
import { limits } from '../../../limits.ts';
import type { SkillEntry } from '../../../skill/entry.ts';
import type { SourceContext } from '../../../sources/skill-source.ts';
import type { PlainBody } from '../../plain-answer.ts';
import { type CacheHint, catalogHint, listHint, type MethodCall, skillHint } from '../cache-fields.ts';
import { afterSkill } from '../catalog-lookups.ts';
import { wireError } from '../method-errors.ts';
import { encodeCursor, pageBounds } from '../pages.ts';
import { createServedMethods } from '../served-methods.ts';
import { serverInstructions } from '../server-instructions.ts';
import { defaultServerInfo, type SkillsServerOptions, serverCapabilities } from '../server-options.ts';
import type { SkillMethods } from '../skill-methods.ts';
import { listedFor } from '../skills-capability.ts';
import { type ContentsJson, createContentsJson } from './contents-json.ts';
import { type HotCall, hotRevision } from './hot-call.ts';
import { createListingPages } from './listing-pages.ts';

const encoder = new TextEncoder();
const fileHead = '{"result":{"contents":[';

function hintJson({ ttlMs, cacheScope }: Partial<CacheHint>): string {
  return `,"ttlMs":${ttlMs},"cacheScope":"${cacheScope}"`;
}

export interface HotAnswersOptions extends SkillsServerOptions {
  /** The JSON of files, shared by the surfaces of one server. Readers share it only if they got the same bytes. */
  readonly contents?: ContentsJson | undefined;
}

export function createHotAnswers(
  catalog: Catalog,
  options: HotAnswersOptions,
  methods: SkillMethods = createServedMethods(catalog, options),
) {
  const bounds = pageBounds(options.pages);
  const pages = createListingPages(bounds);
  /** Pages of listings that omit incompatible skills. */
  const offeredPages = createListingPages(bounds);
  const contents = options.contents ?? createContentsJson();
  const entries = createBoundedCache<SkillEntry, string>(limits.cache.entryBytes, limits.cache.entryBytes / 4);
  const instructions = serverInstructions(catalog, options);
  const meta = `,"_meta":{"io.modelcontextprotocol/serverInfo":${JSON.stringify(options.info ?? defaultServerInfo)}}`;
  const discovered = `{"supportedVersions":["${hotRevision}"],"capabilities":${JSON.stringify(serverCapabilities(options))}`;

  function entryJson(entry: SkillEntry): string {
    let json = entries.get(entry);
    if (json === undefined) {
      json = JSON.stringify(entry);
      entries.put(entry, json, json.length);
    }
    return json;
  }

  /** The end of a response, after the fields of the result. */
  function end({ id }: HotCall): string {
    return `${meta}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  }

  const complete = (call: HotCall): string => `,"resultType":"complete"${end(call)}`;

  function discover(call: HotCall, { principal }: SourceContext): PlainBody {
    const text = instructions();
    const field = text === '' ? '' : `,"instructions":${JSON.stringify(text)}`;
    const hint = hintJson(catalogHint(catalog, principal !== undefined));
    return `{"result":${discovered}${field},"resultType":"complete"${hint}${end(call)}`;
  }

  function written(call: HotCall, answer: object): PlainBody {
    return `{"result":${JSON.stringify(answer).slice(0, -1)}${complete(call)}`;
  }

  function listing(call: HotCall, snapshot: Snapshot, context: SourceContext): PlainBody {
    const listed = listedFor(snapshot, context.clientCapabilities);
    const { bytes, last } = (listed === snapshot.listed ? pages : offeredPages).page(listed, afterSkill(call));
    const next = last === undefined ? '' : `,"nextCursor":"${encodeCursor(last)}"`;
    const head = encoder.encode('{"result":{"skills":[');
    const tail = encoder.encode(`]${next}${hintJson(listHint(catalog, snapshot, context))}${complete(call)}`);
    return { length: head.length + bytes.length + tail.length, parts: [head, bytes, tail] };
  }

  /** Large files are sent in pieces. */
  function file(call: HotCall, content: FileContent, context: SourceContext): MaybePromise<PlainBody> {
    const tail = `]${hintJson(skillHint(catalog, content.file.skill, context))}${complete(call)}`;
    const whole = contents.whole(call.uri, content);
    return whole === undefined ? contents.large(call.uri, content, fileHead, tail) : fileHead + whole + tail;
  }

  function answerTo(call: HotCall, methodCall: MethodCall): MaybePromise<PlainBody> {
    const { context } = methodCall;
    switch (call.method) {
      case 'skills/list':
        return methods.listsNames(context)
          ? andThen(methods.listSkills(call, methodCall), (answer) => written(call, answer))
          : andThen(catalog.snapshot(context), (snapshot) => listing(call, snapshot, context));
      case 'skills/get':
        return andThen(
          methods.getSkill(call, methodCall),
          (answer) => `{"result":{"skill":${entryJson(answer.skill)}${hintJson(answer)}${complete(call)}`,
        );
      case 'resources/read':
        return andThen(methods.openResource(call.uri, context), (opened) =>
          'contents' in opened
            ? written(call, { contents: opened.contents, ...opened.hint })
            : file(call, opened, context),
        );
      case 'resources/directory/read':
        return andThen(methods.readDirectory(call, methodCall), (answer) => written(call, answer));
      case 'server/discover':
        return discover(call, context);
    }
  }

  return {
    /** The JSON-RPC response to a call; errors are responses too. */
    answer(call: HotCall, context: SourceContext): MaybePromise<PlainBody> {
      const methodCall: MethodCall = { era: 'modern', context };
      return orElse(
        () => answerTo(call, methodCall),
        (error) =>
          JSON.stringify({ jsonrpc: '2.0', id: call.id, error: wireError(error, methodCall, options.onerror) }),
      );
    },
  };
}
