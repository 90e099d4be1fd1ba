/**
 * Reads answers to `resources/read` and `resources/directory/read`. A file is exactly one content with exactly the
 * requested URI; anything else is refused, because a host could not say which one it shows. A directory result is used
 * as a whole or not at all.
 */
import { VerificationError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isJsonObject, type JsonObject } from '../../skill/json.ts';
import { tryParseResourceUri } from '../../skill/resource-uri.ts';
import { badAnswer, completeResult, decodeNextCursor } from './answer-fields.ts';
import { base64Size, decodeBase64 } from './base64.ts';
import { type AnswerRules, type Remark, remark } from './remark.ts';

export interface ReadAnswer {
  readonly bytes: Uint8Array;
  readonly mimeType?: string;
}

export interface PlainContent extends ReadAnswer {
  readonly uri: string;
}

export interface WireDirectoryChild {
  readonly uri: string;
  readonly name: string;
  readonly directory: boolean;
}

export interface DirectoryPage {
  readonly children: readonly WireDirectoryChild[];
  readonly nextCursor?: string;
  readonly remarks: readonly Remark[];
}

const readMethod = 'resources/read';
const encoder = new TextEncoder();

/**
 * The bytes of one file.
 *
 * @throws VerificationError `contents` if the answer is not one content with this URI, `limit` if it is too large
 */
export function decodeReadResult(
  result: unknown,
  requestedUri: string,
  options: { readonly maxBytes: number; readonly rules: AnswerRules },
): ReadAnswer {
  const contents = contentsOf(result, options.rules);
  if (contents.length !== 1)
    throw unusable(requestedUri, `the answer has ${contents.length} contents; exactly one is expected`);
  const [content] = contents;
  if (!isJsonObject(content)) throw unusable(requestedUri, 'its content is not an object');
  if (content['uri'] !== requestedUri) {
    const other = typeof content['uri'] === 'string' ? quoteText(content['uri']) : 'something without a URI';
    throw unusable(requestedUri, `${other} came back instead`);
  }
  return decodeContent(content, requestedUri, options.maxBytes);
}

/** All contents of a plain resource, with any URIs. The limit applies to their sum. */
export function decodePlainResult(
  result: unknown,
  requestedUri: string,
  options: { readonly maxBytes: number; readonly rules: AnswerRules },
): readonly PlainContent[] {
  let left = options.maxBytes;
  return contentsOf(result, options.rules).map((content) => {
    if (!isJsonObject(content) || typeof content['uri'] !== 'string')
      throw unusable(requestedUri, 'one of its contents has no URI');
    const decoded = decodeContent(content, requestedUri, left);
    left -= decoded.bytes.length;
    return { uri: content['uri'], ...decoded };
  });
}

function contentsOf(result: unknown, rules: AnswerRules): readonly unknown[] {
  const answer = completeResult(readMethod, result, rules, undefined, []);
  const { contents } = answer;
  if (!Array.isArray(contents)) throw badAnswer(readMethod, 'it has no list "contents"');
  return contents;
}

function decodeContent(content: JsonObject, uri: string, maxBytes: number): ReadAnswer {
  const { text, blob, mimeType } = content;
  const type = typeof mimeType === 'string' ? { mimeType } : {};
  if (typeof text === 'string' && blob === undefined) {
    // A text has at least as many bytes as code units.
    if (text.length > maxBytes) throw tooLarge(uri, maxBytes);
    if (!isWellFormed(text)) throw unusable(uri, 'its text contains half of a surrogate pair');
    const bytes = encoder.encode(text);
    if (bytes.length > maxBytes) throw tooLarge(uri, maxBytes);
    return { bytes, ...type };
  }
  if (typeof blob === 'string' && text === undefined) {
    if ((blob.length / 4) * 3 - 2 > maxBytes) throw tooLarge(uri, maxBytes);
    const size = base64Size(blob);
    if (size === undefined) throw unusable(uri, 'its blob is not base64');
    if (size > maxBytes) throw tooLarge(uri, maxBytes);
    return { bytes: decodeBase64(blob), ...type };
  }
  throw unusable(uri, 'its content has neither a text nor a blob, or both');
}

/** Such text has no bytes: encoders replace the half, so the bytes of the digest are lost. */
function isWellFormed(text: string): boolean {
  const native = text as { isWellFormed?: () => boolean };
  return native.isWellFormed === undefined ? !/\p{Cs}/u.test(text) : native.isWellFormed();
}

function unusable(uri: string, fault: string): VerificationError {
  return new VerificationError('contents', `Cannot use the content of ${quoteText(uri)}: ${fault}.`, { data: { uri } });
}

function tooLarge(uri: string, maxBytes: number): VerificationError {
  return new VerificationError(
    'limit',
    `Cannot use the content of ${quoteText(uri)}: it has more than ${maxBytes} bytes.`,
    {
      data: { uri, maxBytes },
    },
  );
}

/**
 * One page of the direct children of a directory.
 *
 * @throws SkillwireError `BAD_ANSWER` for a child that is not directly below the directory, or a duplicate
 */
export function decodeDirectoryResult(result: unknown, requestedUri: string, rules: AnswerRules): DirectoryPage {
  const method = 'resources/directory/read';
  const remarks: Remark[] = [];
  const answer = completeResult(method, result, rules, 'S-48', remarks);
  const { resources } = answer;
  if (!Array.isArray(resources)) throw badAnswer(method, 'it has no list "resources"');
  if (resources.length > limits.origin.children)
    throw badAnswer(method, `it lists ${resources.length} children; at most ${limits.origin.children} are allowed`);
  const parent = tryParseResourceUri(requestedUri);
  if (parent === undefined) throw badAnswer(method, `${quoteText(requestedUri)} is not the URI of a directory`);
  const seen = new Set<string>();
  const children = resources.map((resource): WireDirectoryChild => {
    if (!isJsonObject(resource) || typeof resource['uri'] !== 'string') throw badAnswer(method, 'a child has no URI');
    const { uri, name, mimeType } = resource as { uri: string; name: unknown; mimeType: unknown };
    const child = tryParseResourceUri(uri);
    const segment = child?.segments.at(-1);
    if (child === undefined || segment === undefined || child.path !== `${parent.path}/${segment}`)
      throw badAnswer(method, `${quoteText(uri)} is not directly below ${quoteText(requestedUri)}`, { uri });
    if (child.scheme !== parent.scheme)
      throw badAnswer(method, `${quoteText(uri)} has another scheme than ${quoteText(requestedUri)}`, { uri });
    if (seen.has(child.path)) throw badAnswer(method, `${quoteText(uri)} is listed twice`, { uri });
    seen.add(child.path);
    if (typeof name !== 'string') remarks.push(remark('S-50', 'a child of a directory has no name', uri));
    return { uri, name: segment, directory: mimeType === 'inode/directory' };
  });
  const { nextCursor, cursorFault } = decodeNextCursor(answer);
  if (cursorFault !== undefined) throw badAnswer(method, cursorFault);
  return { children, ...(nextCursor === undefined ? {} : { nextCursor }), remarks };
}
