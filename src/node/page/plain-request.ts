/** Requests for the page, with their body up to a small limit. */
import { limits } from '../../limits.ts';
import type { PageRequest } from '../../surfaces/page/page-request.ts';
import { toPlainRequest } from '../../surfaces/plain-answer.ts';
import { senderOf } from '../../surfaces/sender.ts';

/** The request without its body. */
export function pageRequest(request: Request): PageRequest {
  return { ...toPlainRequest(request), sender: senderOf(request) };
}

/** `undefined` if the body is too large. */
export async function plainRequest(request: Request): Promise<PageRequest | undefined> {
  const plain = pageRequest(request);
  if (request.body === null) return plain;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request.body) {
    length += piece.length;
    if (length > limits.page.bodyBytes) return undefined;
    pieces.push(piece);
  }
  return { ...plain, body: Buffer.concat(pieces) };
}
