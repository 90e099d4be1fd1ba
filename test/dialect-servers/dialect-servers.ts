/**
 * Servers as data: what each declares and what it answers to the questions of a reader, with the dialect that it should
 * be taken for, how far that can be verified, and which questions it takes to know. Whatever is not among its answers
 * is refused with -32601.
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
