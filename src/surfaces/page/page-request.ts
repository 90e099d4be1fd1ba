/** A request for the data of the page: a plain one, with who sent it. */
import type { PlainRequest } from '../plain-answer.ts';
import type { Sender } from '../sender.ts';

export interface PageRequest extends PlainRequest {
  readonly sender: Sender;
}
