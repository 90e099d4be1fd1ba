/** Requests to the data routes of the page. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { PlainAnswer, PlainRequest } from '../plain-answer.ts';
import type { Sender } from '../sender.ts';
import type { SessionInfo } from './page-data.ts';

export interface PageRequest extends PlainRequest {
  readonly sender: Sender;
}

/** A request to a data route, with what every route needs. */
export interface ApiCall {
  readonly request: PageRequest;
  readonly query: URLSearchParams;
  readonly session: SessionInfo;
  /** The catalog that this reader sees, and a snapshot of it. */
  readonly catalog: Catalog;
  readonly snapshot: Snapshot;
  /** The snapshot of what agents get. */
  readonly served: Snapshot;
}

export type ApiRoute = (call: ApiCall) => PlainAnswer | Promise<PlainAnswer>;
