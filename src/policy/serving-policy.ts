/**
 * May a skill be served on? A policy of whoever runs a server for others. Denials stand above everything, then come the rules on what
 * a skill is, then whether somebody must have approved it. Pure; who has approved what is known elsewhere.
 */
import ignore from 'ignore';

export interface Denial {
  /** Of a file, or of the set of all files. */
  readonly digest?: string;
  /** Label of an origin. */
  readonly origin?: string;
  /** Pattern on the path under which a skill is served, in the manner of `.gitignore`. */
  readonly match?: string;
  readonly reason?: string;
}

export interface ServingPolicy {
  /** `approved-only`: exactly what was approved is served. Default `open`. */
  readonly mode?: 'open' | 'approved-only';
  readonly deny?: readonly Denial[];
  /** Whether skills with scripts, and those whose files cannot be verified, are served. Default true. */
  readonly scripts?: boolean;
  readonly dynamic?: boolean;
  /** Most bytes of all files of a skill. */
  readonly maxBytes?: number;
  /** The forms in which an origin may publish. Absent: all. */
  readonly dialects?: readonly string[];
  /** Values of the field `license` that are accepted, in any case. Absent: all, also none. */
  readonly licences?: readonly string[];
}

export interface ServingFacts {
  /** Label of the origin. */
  readonly origin: string;
  /** Where it is served, decoded: `acme/billing/refunds`. */
  readonly path: string;
  /** Of all files, and of the set of them; empty where the skill cannot be verified. */
  readonly digests: ReadonlySet<string>;
  readonly dynamic: boolean;
  readonly hasScripts: boolean;
  readonly bytes: number;
  readonly licence?: string;
  /** Absent where an origin publishes in no form of its own, as folders do. */
  readonly dialect?: string;
}

export type ServingVerdict =
  | { readonly effect: 'serve' }
  /** Once somebody has approved it exactly as it is. */
  | { readonly effect: 'approval' }
  /** `rule` names the key of the policy; `reason` is for operators. */
  | { readonly effect: 'refuse'; readonly rule: string; readonly reason: string };

export type DecideServing = (facts: ServingFacts) => ServingVerdict;

const serve: ServingVerdict = { effect: 'serve' };
const approval: ServingVerdict = { effect: 'approval' };

export function createServingPolicy(policy: ServingPolicy): DecideServing {
  const denied = createDenials(policy.deny ?? []);
  const licences = policy.licences?.map(foldLicence);

  return (facts) => {
    const denial = denied(facts);
    if (denial !== undefined) return refuse('deny', denial.reason ?? `the policy denies ${denialText(denial)}`);
    if (policy.scripts === false && facts.hasScripts) return refuse('scripts', 'it has scripts');
    const { maxBytes, dialects } = policy;
    if (maxBytes !== undefined && facts.bytes > maxBytes)
      return refuse('maxBytes', `it has ${facts.bytes} bytes; at most ${maxBytes} are allowed`);
    if (dialects !== undefined && facts.dialect !== undefined && !dialects.includes(facts.dialect))
      return refuse('dialects', `its origin publishes in the form "${facts.dialect}"`);
    if (licences !== undefined && (facts.licence === undefined || !licences.includes(foldLicence(facts.licence))))
      return refuse('licences', facts.licence === undefined ? 'it names no licence' : 'its licence is not accepted');
    const approvedOnly = policy.mode === 'approved-only';
    if (!facts.dynamic) return approvedOnly ? approval : serve;
    // Nobody can approve what has no digests, so it is for the operator to say so.
    if (policy.dynamic ?? !approvedOnly) return serve;
    return refuse('dynamic', 'its files cannot be verified, so nobody can approve them');
  };
}

function refuse(rule: string, reason: string): ServingVerdict {
  return { effect: 'refuse', rule, reason };
}

/** The first that holds. */
function createDenials(denials: readonly Denial[]): (facts: ServingFacts) => Denial | undefined {
  const matchers = denials.map((denial) => ({
    denial,
    matcher: denial.match === undefined ? undefined : ignore().add(denial.match),
  }));
  return ({ origin, path, digests }) =>
    matchers.find(
      ({ denial, matcher }) =>
        denial.origin === origin ||
        (denial.digest !== undefined && digests.has(denial.digest)) ||
        matcher?.ignores(`${path}/`) === true,
    )?.denial;
}

/** What a denial is about, in words. */
export function denialText({ digest, origin, match }: Denial): string {
  if (digest !== undefined) return `the digest ${digest}`;
  return origin === undefined ? `what matches "${match ?? ''}"` : `the origin "${origin}"`;
}

function foldLicence(licence: string): string {
  return licence.trim().toLowerCase();
}
