/**
 * Cursors of paged answers. A cursor is the last URI of the page before, so it stays good when skills come and go between
 * two pages: nothing is repeated and nothing that stayed is skipped. It is opaque to clients (base64url) and has exactly one
 * spelling; anything that this server cannot have issued is refused, the empty string included.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function encodeCursor(uri: string): string {
  let binary = '';
  for (const byte of encoder.encode(uri)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function decode(cursor: string): string | undefined {
  if (cursor.length > limits.pages.cursorCharacters || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  try {
    const binary = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
    return decoder.decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function isCanonical(uri: string): boolean {
  const parsed = tryParseSkillUri(uri);
  return parsed !== undefined && uri === (parsed.trailingSlash ? `${parsed.uri}/` : parsed.uri);
}

/** The text that a cursor of a list without URIs holds, or undefined for the start of the list. */
export function decodeTextCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const text = decode(cursor);
  if (text === undefined || encodeCursor(text) !== cursor) throw notIssued();
  return text;
}

/** The URI that a cursor holds, or undefined for the start of the list. */
export function decodeCursor(cursor: string | undefined): string | undefined {
  const uri = decodeTextCursor(cursor);
  if (uri !== undefined && !isCanonical(uri)) throw notIssued();
  return uri;
}

function notIssued(): SkillwireError {
  return new SkillwireError(
    'INVALID_CURSOR',
    'cannot continue the list: the cursor was not issued by this server; start again without a cursor',
  );
}
