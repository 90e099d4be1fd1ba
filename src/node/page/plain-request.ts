/** A request for the page with its body, which is small. */
import { limits } from '../../limits.ts';
import { type PlainRequest, toPlainRequest } from '../../surfaces/plain-answer.ts';

/** Undefined where the body is too large. */
export async function plainRequest(request: Request): Promise<PlainRequest | undefined> {
  const plain = toPlainRequest(request);
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
