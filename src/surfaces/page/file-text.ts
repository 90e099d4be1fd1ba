/**
 * One file of a skill for the page: its text and, for Markdown, sanitized HTML (sec:V-1 to sec:V-5). Raw bytes are a download for verification.
 * Pictures are served only for allowed types whose bytes start with the right signature.
 */
import type { Catalog, FileContent } from '../../catalog/catalog.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { describeHidden, hiddenCharacters } from '../../skill/hidden-characters.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import type { PlainAnswer } from '../plain-answer.ts';
import type { FileText } from './page-data.ts';
import type { RenderMarkdown } from './page-ports.ts';

const frontmatterBlock = /^\ufeff?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;

export async function fileText(
  catalog: Catalog,
  uri: string,
  render: RenderMarkdown,
  signal: AbortSignal,
): Promise<FileText> {
  const { file, bytes } = await catalog.read(uri, { signal });
  const { mediaType, path } = file;
  const facts = { uri: file.uri, path, mediaType, size: bytes.length, digest: file.resource?.digest };
  const whole = decodeUtf8(bytes);
  if (whole === undefined) return { ...facts, why: 'binary', hidden: [], lines: 0 };
  const hidden = hiddenCharacters(whole).map(({ kind, count }) => describeHidden(kind, count));
  const lines = whole.split('\n').length;
  if (bytes.length > limits.page.textBytes) {
    const text = whole.slice(0, limits.page.textBytes);
    return { ...facts, text, why: 'too-large', hidden, lines };
  }
  if (mediaType !== 'text/markdown') return { ...facts, text: whole, hidden, lines };
  const body = path === 'SKILL.md' ? whole.replace(frontmatterBlock, '') : whole;
  return { ...facts, text: whole, ...(await render(body, file.uri, signal)), hidden, lines };
}

const closed = {
  'cache-control': 'no-cache',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

/** The bytes, to compute their digest. A browser saves them and shows nothing. */
export function bytesAnswer({ bytes, file }: FileContent): PlainAnswer {
  return {
    status: 200,
    headers: {
      ...closed,
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      ...(file.resource === undefined ? {} : { etag: `"${file.resource.digest}"` }),
    },
    body: { length: bytes.length, parts: [bytes] },
  };
}

/** Picture formats without active content, and their signatures. SVG is a document and is shown as text. */
const pictures: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  'image/png': (bytes) => begins(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'image/jpeg': (bytes) => begins(bytes, [0xff, 0xd8, 0xff]),
  'image/gif': (bytes) => begins(bytes, [0x47, 0x49, 0x46, 0x38]),
  'image/webp': (bytes) =>
    begins(bytes, [0x52, 0x49, 0x46, 0x46]) && begins(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50]),
};

/** True if the page may show the type as a picture. */
export function isPicture(mediaType: string): boolean {
  return Object.hasOwn(pictures, mediaType);
}

function begins(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

/** @throws SkillwireError USAGE, LIMIT_EXCEEDED */
export function imageAnswer({ bytes, file }: FileContent): PlainAnswer {
  const { mediaType, uri } = file;
  if (!isPicture(mediaType) || pictures[mediaType]?.(bytes) !== true)
    throw new SkillwireError(
      'USAGE',
      `Cannot show ${quoteText(uri)}: it is not a PNG, JPEG, GIF or WebP picture. Download it instead.`,
      {
        data: { uri, mediaType },
      },
    );
  if (bytes.length > limits.page.imageBytes)
    throw new SkillwireError(
      'LIMIT_EXCEEDED',
      `Cannot show ${quoteText(uri)}: it has ${bytes.length} bytes, more than the limit of ${limits.page.imageBytes}. Download it instead.`,
      { data: { uri, size: bytes.length } },
    );
  return {
    status: 200,
    headers: { ...closed, 'content-type': mediaType, 'content-disposition': 'inline' },
    body: { length: bytes.length, parts: [bytes] },
  };
}
