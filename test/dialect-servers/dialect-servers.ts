/**
 * Servers as data. Each row has declarations and answers, the dialect to recognize, how far it can be verified, and which
 * questions that takes. Every other question is refused with -32601.
 */
import { chosenServers } from './chosen-servers.ts';
import type { DialectServer } from './dialect-server.ts';
import { extensionServers } from './extension-servers.ts';
import { indexServers } from './index-servers.ts';
import { listServers } from './list-servers.ts';

export const dialectServers: readonly DialectServer[] = [
  ...extensionServers,
  ...indexServers,
  ...listServers,
  ...chosenServers,
];
