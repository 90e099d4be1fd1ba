/**
 * Files of skilljack-mcp. All but `SKILL.md` come in one answer, the skill's collection, which is cached for a while.
 * Files above a megabyte are missing from it; they are read with the server's file tool, if it has one, which also
 * lists files. The server sends every file as text, so binary files arrive corrupted and are refused.
 */
import { createBoundedCache } from '../../../async/bounded-cache.ts';
import type { DialectFile } from '../../../dialects/dialect-skill.ts';
import { decodeCollection } from '../../../dialects/skilljack/collection.ts';
import { decodeFileList, decodeToolAnswer, skillFileToolName } from '../../../dialects/skilljack/skill-tools.ts';
import { buildSkilljackUri } from '../../../dialects/skilljack/skilljack-resources.ts';
import { VerificationError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import { isJsonObject } from '../../../skill/json.ts';
import { decodeUtf8, fileMediaType } from '../../../skill/media-type.ts';
import { RpcError } from '../wire.ts';
import { answerBytes, type RequestServer, type ResourceReadOptions } from './ask.ts';

type Files = ReadonlyMap<string, Uint8Array>;

export function createCollections(ask: RequestServer, capabilities: () => unknown) {
  const cache = createBoundedCache<string, { readonly files: Files; readonly until: number }>(
    limits.dialects.cachedBytes,
  );

  async function read(name: string, signal: AbortSignal | undefined): Promise<Files> {
    const known = cache.get(name);
    if (known !== undefined && known.until > performance.now()) return known.files;
    const maxBytes = limits.skill.bytes;
    let result: unknown;
    try {
      const uri = buildSkilljackUri({ kind: 'collection', name });
      result = await ask('resources/read', { uri }, { signal, maxBytes: answerBytes(maxBytes) });
    } catch (error) {
      if (error instanceof RpcError) return new Map();
      throw error;
    }
    const files = new Map(decodeCollection(result, name, maxBytes).files.map(({ path, bytes }) => [path, bytes]));
    const bytes = [...files.values()].reduce((total, file) => total + file.byteLength, 0);
    cache.put(name, { files, until: performance.now() + limits.dialects.cachedMs }, bytes);
    return files;
  }

  /** The single text that the tool returns; an empty path requests the list of files. */
  async function byTool(
    name: string,
    path: string,
    { signal, maxBytes }: ResourceReadOptions,
  ): Promise<string | undefined> {
    const declared = capabilities();
    if (!isJsonObject(declared) || !isJsonObject(declared['tools'])) return undefined;
    try {
      const call = { name: skillFileToolName, arguments: { skill: name, path } };
      const reading = decodeToolAnswer(await ask('tools/call', call, { signal, maxBytes: answerBytes(maxBytes) }));
      const [text, ...more] = reading.ok ? reading.texts : [];
      return more.length > 0 ? undefined : text;
    } catch (error) {
      if (error instanceof RpcError) return undefined;
      throw error;
    }
  }

  async function bytesByTool(
    name: string,
    path: string,
    options: ResourceReadOptions,
  ): Promise<Uint8Array | undefined> {
    const text = await byTool(name, path, options);
    return text === undefined ? undefined : new TextEncoder().encode(text);
  }

  return {
    /** The files beside `SKILL.md`, and whether the list is complete. */
    async files(
      name: string,
      signal: AbortSignal | undefined,
    ): Promise<{ readonly files: readonly DialectFile[]; readonly complete: boolean }> {
      const list = await byTool(name, '', { maxBytes: limits.origin.pageBytes, signal });
      const paths = list === undefined ? [...(await read(name, signal)).keys()] : decodeFileList([list]);
      const files = paths.map((path) => ({ path, uri: buildSkilljackUri({ kind: 'file', name, path }) }));
      // A collection omits large files silently.
      return { files, complete: list !== undefined };
    },
    async file(name: string, path: string, options: ResourceReadOptions): Promise<Uint8Array | undefined> {
      const bytes = (await read(name, options.signal)).get(path) ?? (await bytesByTool(name, path, options));
      if (bytes !== undefined && isBroken(path, bytes)) throw sentAsText(name, path);
      if (bytes === undefined || bytes.byteLength <= options.maxBytes) return bytes;
      const message = `Cannot use ${quoteText(path)} of the skill ${quoteText(name)}: it has more than ${options.maxBytes} bytes.`;
      throw new VerificationError('limit', message, { data: { name, path } });
    },
    clear: cache.clear,
  };
}

export type Collections = ReturnType<typeof createCollections>;

/** A replacement character in a binary file stands for lost bytes. A text may contain one legitimately. */
function isBroken(path: string, bytes: Uint8Array): boolean {
  return !fileMediaType(path).startsWith('text/') && decodeUtf8(bytes)?.includes('\ufffd') === true;
}

function sentAsText(name: string, path: string): VerificationError {
  const message = `Cannot use ${quoteText(path)} of the skill ${quoteText(name)}: the server sent a binary file as text, so bytes are lost.`;
  return new VerificationError('contents', message, { data: { name, path } });
}
