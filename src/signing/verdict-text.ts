/** Verdicts about signatures for people. Names of files and signers come from outside and are escaped. */
import { displayText } from '../skill/display-text.ts';
import { signerText } from '../skill/signer-identity.ts';
import type { Coverage } from './coverage.ts';
import type { SignatureVerdict, Signer } from './verify-signature.ts';

const mostNames = 5;

/** The differences between signed and served files; empty if there are none. */
export function coverageText({ changed, missing, renamed, unsigned, ignored }: Coverage): string {
  const moved = renamed.map(({ from, to }) => `${from} to ${to}`);
  // A renamed file is served under a name that is not signed.
  const targets = new Set(renamed.map(({ to }) => to));
  const extra = [...unsigned, ...ignored].filter((path) => !targets.has(path));
  const parts = [
    pathsText('changed', changed),
    pathsText('missing', missing),
    pathsText('renamed', moved),
    pathsText('not signed', extra),
  ];
  return parts.filter((text) => text !== '').join('; ');
}

/** A word and the first paths. */
export function pathsText(word: string, paths: readonly string[]): string {
  if (paths.length === 0) return '';
  const more = paths.length > mostNames ? ` and ${paths.length - mostNames} more` : '';
  return `${word}: ${paths
    .slice(0, mostNames)
    .map((path) => displayText(path))
    .join(', ')}${more}`;
}

/** The names of the configuration, and the identity. */
export function signedBy({ names, identity }: Signer): string {
  return `${names.map((name) => displayText(name)).join(', ')} (${displayText(signerText(identity))})`;
}

/** A verdict in the terms of signature rules. */
export function verdictFacts(verdict: SignatureVerdict) {
  const of = 'coverage' in verdict ? verdict : undefined;
  return {
    state: verdict.state,
    signers: of?.signer.names ?? [],
    unserved: (of?.coverage.unpublished.length ?? 0) > 0,
    expired: of?.signer.expired ?? false,
    text: verdictText(verdict),
  };
}

/** One phrase that names the state, the step and the reason. */
export function verdictText(verdict: SignatureVerdict): string {
  if (verdict.state === 'unsigned') return 'unsigned';
  if ('coverage' in verdict) {
    const { signer, coverage } = verdict;
    const by = `by ${signedBy(signer)}`;
    if (verdict.state !== 'signed') return `${verdict.state} (step content): signed ${by}; ${coverageText(coverage)}`;
    const { matching, served, unpublished } = coverage;
    const rest = unpublished.length === 0 ? '' : `; ${pathsText('signed but not served', unpublished)}`;
    return `signed ${by}, ${matching} of ${served} served files${rest}`;
  }
  const check = 'check' in verdict && verdict.check !== undefined ? `, check ${verdict.check}` : '';
  const claimed = 'claimed' in verdict && verdict.claimed !== undefined ? ` (${displayText(verdict.claimed)})` : '';
  return `${verdict.state} (step ${verdict.step}${check}): ${verdict.reason}${claimed}`;
}
