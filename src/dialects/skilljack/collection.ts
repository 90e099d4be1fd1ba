/**
 * The collection `skill://name/`: one `resources/read` answer with all files of a skill except `SKILL.md`. Each file is
 * under `skill://name/path`. skilljack sends every file as text, even binary ones; we send bytes as `blob` and read
 * both. Like skilljack, we leave out files above one megabyte, and name them.
 */
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import type { EntryFault } from '../../skill/entry-faults.ts';
import { isJsonObject } from '../../skill/json.ts';
import { decodeUtf8, fileMediaType } from '../../skill/media-type.ts';
import { createPathSet } from '../relative-path.ts';
import { badAnswer } from '../skills-extension/answer-fields.ts';
import { base64Size, decodeBase64 } from '../skills-extension/base64.ts';
import { buildSkilljackUri, parseSkilljackUri } from './skilljack-resources.ts';

export interface CollectionFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export type CollectionContent =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

export interface EncodedCollection {
  readonly contents: readonly CollectionContent[];
  /** Paths of files too large for a collection. */
  readonly omitted: readonly string[];
}

export interface CollectionReading {
  readonly files: readonly CollectionFile[];
  readonly refused: readonly EntryFault[];
}

/**
 * The contents of a collection, in the order of the files.
 *
 * @internal the other half of the codec, for round trips
 */
export function encodeCollection(name: string, files: readonly CollectionFile[]): EncodedCollection {
  const contents: CollectionContent[] = [];
  const omitted: string[] = [];
  for (const { path, bytes } of files) {
    if (path === skillFileName) continue;
    if (bytes.length > limits.dialects.collectionFileBytes) {
      omitted.push(path);
      continue;
    }
    const uri = buildSkilljackUri({ kind: 'file', name, path });
    const mimeType = fileMediaType(path);
    const text = decodeUtf8(bytes);
    contents.push(text === undefined ? { uri, mimeType, blob: base64Of(bytes) } : { uri, mimeType, text });
  }
  return { contents, omitted };
}

/**
 * The files of a collection. An unusable one never hides the others.
 *
 * @throws SkillwireError `BAD_ANSWER` if there is no list of contents, or too many
 */
export function decodeCollection(result: unknown, name: string, maxBytes: number): CollectionReading {
  const what = `resources/read of ${buildSkilljackUri({ kind: 'collection', name })}`;
  const contents = isJsonObject(result) ? result['contents'] : undefined;
  if (!Array.isArray(contents)) throw badAnswer(what, 'it has no list "contents"');
  if (contents.length > limits.skill.files)
    throw badAnswer(what, `it has ${contents.length} contents; at most ${limits.skill.files} are allowed`);
  const files: CollectionFile[] = [];
  const refused: EntryFault[] = [];
  const paths = createPathSet();
  let left = maxBytes;
  for (const [index, content] of contents.entries()) {
    const file = decodeContent(`contents[${index}]`, content, name, left);
    const fault = typeof file === 'string' ? file : paths.add(file.path);
    if (typeof file === 'string' || fault !== undefined) {
      const message = typeof file === 'string' ? file : `contents[${index}].uri ${quoteText(file.path)} ${fault}`;
      refused.push({ requirement: 'skilljack:collection', message });
    } else {
      left -= file.bytes.length;
      files.push(file);
    }
  }
  return { files, refused: refused.slice(0, limits.origin.faults) };
}

function decodeContent(field: string, content: unknown, name: string, left: number): CollectionFile | string {
  if (!isJsonObject(content) || typeof content['uri'] !== 'string') return `${field} has no URI`;
  const { uri, text, blob } = content;
  const parsed = parseSkilljackUri(String(uri));
  if (parsed?.kind !== 'file' || parsed.name !== name)
    return `${field}.uri ${quoteText(String(uri))} is not a file of the skill ${quoteText(name)}`;
  if (typeof text === 'string') {
    const bytes = text.length > left ? undefined : new TextEncoder().encode(text);
    return bytes === undefined || bytes.length > left ? tooLarge(field) : { path: parsed.path, bytes };
  }
  const size = typeof blob === 'string' ? base64Size(blob) : undefined;
  if (typeof blob !== 'string' || size === undefined) return `${field} has neither a text nor a blob`;
  return size > left ? tooLarge(field) : { path: parsed.path, bytes: decodeBase64(blob) };
}

function tooLarge(field: string): string {
  return `${field} has more bytes than a skill may have`;
}

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
