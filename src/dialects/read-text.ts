/**
 * The text or document of a `resources/read` answer in dialects that do not care about URIs and media types. Some echo another spelling,
 * some omit `mimeType`. Exactly one content is expected. Its URI does not matter, because these dialects have no digests.
 */
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import { decodeUtf8 } from '../skill/media-type.ts';
import { badAnswer } from './skills-extension/answer-fields.ts';
import { decodePlainResult } from './skills-extension/decode-resources.ts';

const lenient = { cacheFields: false, resultType: false };

/**
 * The text at a URI.
 *
 * @throws SkillwireError `BAD_ANSWER` if it is not one text; VerificationError `limit` if it is too large
 */
export function decodeReadText(result: unknown, uri: string, maxBytes: number): string {
  const [content, ...more] = decodePlainResult(result, uri, { maxBytes, rules: lenient });
  const text = content === undefined || more.length > 0 ? undefined : decodeUtf8(content.bytes);
  if (text === undefined) throw badAnswer(`resources/read of ${quoteText(uri)}`, 'it is not one text');
  return text;
}

/** The JSON document at a URI. Throws like decodeReadText(), and if the text is not JSON. */
export function decodeReadDocument(result: unknown, uri: string, maxBytes: number): unknown {
  const text = decodeReadText(result, uri, maxBytes);
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new SkillwireError('BAD_ANSWER', `Cannot use the content of ${quoteText(uri)}: it is not JSON.`, {
      data: { uri },
      cause,
    });
  }
}
