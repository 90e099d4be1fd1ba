/** On how many servers of a shared store a decision has taken effect, in words. */
import type { ConfirmationData } from '../../src/surfaces/page/page-data.ts';

export function confirmationText({ done, confirmed, missing, failure }: ConfirmationData): string {
  if (failure !== undefined) return `Recorded, but the servers cannot be asked whether it took effect. ${failure}`;
  const all = confirmed.length + missing.length;
  if (done) return `Done on ${all} of ${all} servers.`;
  const names = missing.map(({ id, silentMs }) => `${id} (last heard ${Math.round(silentMs / 1000)} s ago)`);
  return (
    `Recorded; ${confirmed.length} of ${all} servers confirmed. Missing: ${names.join(', ')}. ` +
    'A server that returns applies it before it serves again.'
  );
}
