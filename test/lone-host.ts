/** Loopback addresses that no other test listens on. */
import { randomInt } from 'node:crypto';

/**
 * A loopback address for a server that a test stops. On the shared 127.0.0.1 another test may get the freed port and answer in its
 * place. macOS has only one loopback address.
 */
export function loneHost(): string {
  if (process.platform === 'darwin') return '127.0.0.1';
  return ['127', randomInt(1, 255), randomInt(1, 255), randomInt(1, 255)].join('.');
}
