/** One request to the data routes, with what every route needs to know. */
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { PlainAnswer, PlainRequest } from '../plain-answer.ts';
import type { SessionInfo } from './page-data.ts';

export interface ApiCall {
  readonly request: PlainRequest;
  readonly query: URLSearchParams;
  readonly session: SessionInfo;
  readonly snapshot: Snapshot;
}

export type ApiRoute = (call: ApiCall) => PlainAnswer | Promise<PlainAnswer>;
