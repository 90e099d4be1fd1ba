/**
 * Files of skilljack-mcp: all but `SKILL.md` come in one answer, the collection of a skill, which is kept for a while. What is not
 * in it (files above a megabyte are left out) is asked for with the tool that reads files, where the server has it. Texts come as
 * texts; nothing says what the bytes were.
 */
import { createBoundedCache } from '../../../async/bounded-cache.ts';
import { decodeCollection } from '../../../dialects/skilljack/collection.ts';
import { decodeToolAnswer, skillFileToolName } from '../../../dialects/skilljack/skill-tools.ts';
import { buildSkilljackUri } from '../../../dialects/skilljack/skilljack-uris.ts';
import { VerificationError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import { isJsonObject } from '../../../skill/json.ts';
import { RpcError } from '../wire.ts';
import { type Ask, answerBytes, type ReadOptions } from './ask.ts';

export interface Collections {
  file(name: string, path: string, options: ReadOptions): Promise<Uint8Array | undefined>;
  clear(): void;
}

type Files = ReadonlyMap<string, Uint8Array>;

export function createCollections(ask: Ask, capabilities: () => unknown): Collections {
  const kept = createBoundedCache<string, { readonly files: Files; readonly until: number }>(limits.dialects.heldBytes);

  async function read(name: string, signal: AbortSignal | undefined): Promise<Files> {
    const known = kept.get(name);
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
    kept.put(name, { files, until: performance.now() + limits.dialects.keptMs }, bytes);
    return files;
  }

  async function byTool(
    name: string,
    path: string,
    { signal, maxBytes }: ReadOptions,
  ): Promise<Uint8Array | undefined> {
    const declared = capabilities();
    if (!isJsonObject(declared) || !isJsonObject(declared['tools'])) return undefined;
    try {
      const call = { name: skillFileToolName, arguments: { skill: name, path } };
      const reading = decodeToolAnswer(await ask('tools/call', call, { signal, maxBytes: answerBytes(maxBytes) }));
      const [text, ...more] = reading.ok ? reading.texts : [];
      return text === undefined || more.length > 0 ? undefined : new TextEncoder().encode(text);
    } catch (error) {
      if (error instanceof RpcError) return undefined;
      throw error;
    }
  }

  return {
    async file(name, path, options) {
      const bytes = (await read(name, options.signal)).get(path) ?? (await byTool(name, path, options));
      if (bytes === undefined || bytes.byteLength <= options.maxBytes) return bytes;
      const message = `cannot use ${quoteText(path)} of the skill ${quoteText(name)}: it has more than ${options.maxBytes} bytes`;
      throw new VerificationError('limit', message, { data: { name, path } });
    },
    clear: kept.clear,
  };
}
