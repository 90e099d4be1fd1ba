/** One request to the data routes, with what every route needs to know. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { PlainAnswer } from '../plain-answer.ts';
import type { SessionInfo } from './page-data.ts';
import type { PageRequest } from './page-request.ts';

export interface ApiCall {
  readonly request: PageRequest;
  readonly query: URLSearchParams;
  readonly session: SessionInfo;
  /** What this reader sees, and a snapshot of it. */
  readonly catalog: Catalog;
  readonly snapshot: Snapshot;
  /** What agents get. */
  readonly served: Snapshot;
}

export type ApiRoute = (call: ApiCall) => PlainAnswer | Promise<PlainAnswer>;
