/**
 * The skills that a runtime exposes, and its answers to calls. A call is answered from the last published catalog: the
 * text of a replaced static skill matches the digest that the hub knows.
 */
import type { CallClient, CallClientResult, MdpAuth, MdpError, SkillDescriptor } from '../dialects/mdp/messages.ts';
import { assertStrictPath, matchPath } from '../dialects/mdp/path-grammar.ts';
import { declareStatic } from '../dialects/mdp/static-declaration.ts';
import { reasonOf, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { sha256Digest } from '../skill/digest.ts';

/** Description and media type of an exposed path. */
export interface ExposeOptions {
  /** The purpose of the skill. A model sees it before it reads the skill. */
  readonly description?: string;
  /** Default `text/markdown`. */
  readonly contentType?: string;
}

/** Input that a reader sent with a call. Over HTTP, `queries` has strings; over MCP, any JSON type. */
export interface SkillRequest {
  readonly queries: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The segments that match the `:name` parts of the path. */
  readonly params: Readonly<Record<string, string>>;
}

/** Facts about one call: the caller and the path. */
export interface SkillCall {
  readonly requestId: string;
  readonly clientId: string;
  readonly type: 'skill';
  readonly method: 'GET';
  /** The concrete path, with parameters filled in. */
  readonly path: string;
  readonly auth?: MdpAuth;
}

/** Makes the text of a skill for one reader. */
export type SkillResolver = (request: SkillRequest, call: SkillCall) => string | Promise<string>;

interface Exposure {
  readonly path: string;
  readonly descriptor: Promise<SkillDescriptor>;
  readonly content: string | SkillResolver;
}

const encoder = new TextEncoder();
/** Room for the rest of a message around its text. */
const envelopeBytes = 1_024;

export function createExposures() {
  const exposed = new Map<string, Exposure>();
  let published: readonly Exposure[] = [];

  return {
    set(path: string, definition: string | ExposeOptions, content?: string | SkillResolver): void {
      assertStrictPath(path);
      const options = typeof definition === 'string' ? {} : definition;
      const textOrResolver = typeof definition === 'string' ? definition : content;
      assertContent(path, textOrResolver);
      assertOptions(path, options);
      if (!exposed.has(path) && exposed.size >= limits.runtimes.paths)
        throw new SkillwireError(
          'LIMIT_EXCEEDED',
          `Cannot expose "${path}": ${limits.runtimes.paths} skills are exposed already. Remove one first.`,
          { data: { path } },
        );
      exposed.set(path, { path, content: textOrResolver, descriptor: describe(path, options, textOrResolver) });
    },
    delete: (path: string): boolean => exposed.delete(path),
    /** Returns the whole catalog. From then on, calls are answered from it. */
    async publish(): Promise<readonly SkillDescriptor[]> {
      const now = [...exposed.values()];
      const descriptors = await Promise.all(now.map(({ descriptor }) => descriptor));
      published = now;
      return descriptors;
    },
    async answer(call: CallClient): Promise<CallClientResult> {
      const { requestId } = call;
      const failed = (code: MdpError['code'], message: string): CallClientResult => ({
        type: 'callClientResult',
        requestId,
        ok: false,
        error: { code, message: message.slice(0, limits.runtimes.errorCharacters) },
      });
      const match = call.method === 'GET' ? matchPath(published, call.path) : undefined;
      if (match === undefined) return failed('not_found', `no skill is exposed at "${call.path}"`);
      try {
        const data = await textOf(match.pattern.content, call, match.params);
        const fault = typeof data === 'string' ? sizeFault(data) : 'the function behind it returned no text';
        if (fault !== undefined) return failed('handler_error', `cannot answer "${call.path}": ${fault}`);
        return { type: 'callClientResult', requestId, ok: true, data };
      } catch (error) {
        return failed('handler_error', reasonOf(error));
      }
    },
  };
}

function textOf(
  content: string | SkillResolver,
  { requestId, clientId, path, query = {}, headers = {}, auth }: CallClient,
  params: Readonly<Record<string, string>>,
): unknown {
  if (typeof content === 'string') return content;
  const call = { requestId, clientId, type: 'skill', method: 'GET', path } as const;
  return content({ queries: query, headers, params }, auth === undefined ? call : { ...call, auth });
}

async function describe(
  path: string,
  { description, contentType = 'text/markdown' }: ExposeOptions,
  content: string | SkillResolver,
): Promise<SkillDescriptor> {
  const summary = description ?? (typeof content === 'string' ? textDescription(content) : undefined);
  const descriptor: SkillDescriptor = { type: 'skill', path, contentType, description: summary };
  // Pages loaded over plain HTTP (except from this machine) have no WebCrypto. Their skills count as computed ones.
  if (typeof content !== 'string' || globalThis.crypto?.subtle === undefined || path.includes('/:')) return descriptor;
  const bytes = encoder.encode(content);
  return { ...descriptor, _meta: declareStatic({ digest: await sha256Digest(bytes), size: bytes.length }) };
}

function assertContent(path: string, content: unknown): asserts content is string | SkillResolver {
  if (typeof content === 'function') return;
  if (typeof content !== 'string')
    throw new SkillwireError(
      'USAGE',
      `Cannot expose "${path}": it has neither text nor a function. Write expose(path, text) or ` +
        'expose(path, { description }, ({ queries }) => text)',
      { data: { path } },
    );
  const fault = sizeFault(content);
  if (fault !== undefined) throw new SkillwireError('LIMIT_EXCEEDED', `cannot expose "${path}": ${fault}`);
}

function assertOptions(path: string, options: ExposeOptions): void {
  for (const [name, most] of [
    ['description', limits.runtimes.descriptionCharacters],
    ['contentType', limits.runtimes.contentTypeCharacters],
  ] as const) {
    const value: unknown = options[name];
    if (value === undefined || (typeof value === 'string' && value.length <= most)) continue;
    throw new SkillwireError(
      'USAGE',
      `Cannot expose "${path}": "${name}" is not text of at most ${most} characters. Shorten it.`,
      {
        data: { path },
      },
    );
  }
}

/** A hub disconnects a runtime that sends a longer message. */
function sizeFault(text: string): string | undefined {
  const { messageBytes } = limits.runtimes;
  const bytes = encoder.encode(JSON.stringify(text)).length + envelopeBytes;
  return bytes <= messageBytes ? undefined : `its text needs ${bytes} bytes in a message, the limit is ${messageBytes}`;
}

const frontmatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * The description of a skill that is exposed as text alone. It is the one-line `description:` of the frontmatter, or
 * else the first paragraph that is not a heading. Frontmatter never counts as a paragraph.
 */
export function textDescription(text: string): string | undefined {
  const head = frontmatter.exec(text);
  const named = head === null ? undefined : oneLine(/^description:[ \t]*(.*)$/m.exec(head[1] ?? '')?.[1] ?? '');
  const found = named ?? firstParagraph(head === null ? text : text.slice(head[0].length));
  return found === undefined ? undefined : cut(found);
}

/** A plain, quoted or JSON scalar. For blocks (`|`, `>`) and other YAML, the first paragraph is used instead. */
function oneLine(value: string): string | undefined {
  const written = value.trim();
  if (/^".*"$/.test(written)) {
    try {
      const parsed: unknown = JSON.parse(written);
      return typeof parsed === 'string' && parsed !== '' ? parsed : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
  if (/^'.*'$/.test(written)) return written.slice(1, -1).replaceAll("''", "'") || undefined;
  return written === '' || /^[|>&*!{[%@`"']/.test(written) ? undefined : written.replace(/\s+#.*$/, '');
}

function firstParagraph(text: string): string | undefined {
  for (const block of text.replaceAll('\r\n', '\n').split(/\n[ \t]*\n/)) {
    const lines = block.split('\n').map((line) => line.trim());
    const words = lines.filter((line) => line !== '' && !line.startsWith('#')).join(' ');
    if (words !== '') return words;
  }
  return undefined;
}

function cut(text: string): string {
  const most = limits.skill.descriptionLength;
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
