/**
 * Decides by rules whether a skill may be served. Denials come first, then rules about the skill itself, then whether a person must have
 * approved it. Rules about content judge files by their bytes; a rule that cannot be judged denies. Pure: `serving/` provides approvals
 * and bytes.
 */
import { skillFileName } from '../skill/entry.ts';
import { isScript } from '../skill/runs-code.ts';
import { type FileFacts, isSkillFile } from './file-facts.ts';
import { pathPattern } from './path-pattern.ts';
import { createSignatureRules, type SignatureFacts, type SignatureRule } from './signature-rules.ts';

export interface Denial {
  /** Of a file, of the set of all files, or of the content. */
  readonly digest?: string;
  /** Label of an origin. */
  readonly origin?: string;
  /** Pattern on the path under which a skill is served, as in `.gitignore`. */
  readonly match?: string;
  readonly reason?: string;
  /** The author of the denial: the configuration (`rule`, the default), or a person while servers run. */
  readonly by?: 'person' | 'rule';
  /** ISO 8601: since when. */
  readonly at?: string;
}

export interface ServingPolicy {
  /** `approved-only`: only approved versions are served. Default `open`. */
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
  readonly licenses?: readonly string[];
  /** Signers that a skill must have. The first matching rule applies. Absent: none. */
  readonly signatures?: readonly SignatureRule[];
}

export interface ServingFacts {
  /** Label of the origin. */
  readonly origin: string;
  /** Every path under which it, or a skill inside it, is served: decoded, its own first. */
  readonly paths: readonly string[];
  readonly dynamic: boolean;
  /** All known files: those of the entry, and those of a dynamic skill that were read. */
  readonly files: readonly FileFacts[];
  /** Of all files that are known. */
  readonly bytes: number;
  /** Of the set of files; absent if the skill cannot be verified. */
  readonly setDigest?: string | undefined;
  /** Of paths and files without the signature: the same behind every gateway. Absent if the skill cannot be verified. */
  readonly contentDigest?: string | undefined;
  /** Whether the frontmatter of the entry has a field that makes clients run something. */
  readonly runs: boolean;
  /** Of the frontmatter of the entry. */
  readonly license?: string;
  /** Absent if the origin publishes in no form of its own, as folders do. */
  readonly dialect?: string;
  /** Absent until its signature file was read. */
  readonly signature?: SignatureFacts | undefined;
}

export type ServingVerdict =
  | { readonly effect: 'serve' }
  /** Served once a person has approved exactly these files. */
  | { readonly effect: 'approval' }
  | Denied;

/** `rule` names the key of the policy; `reason` is for operators. */
export interface Denied {
  readonly effect: 'deny';
  readonly rule: keyof ServingPolicy;
  readonly reason: string;
  /** The denial that matched. */
  readonly denial?: Denial;
}

const serve: ServingVerdict = { effect: 'serve' };
const approval: ServingVerdict = { effect: 'approval' };

export function createServingPolicy(policy: ServingPolicy) {
  const { scripts = true, maxBytes, dialects, deny = [] } = policy;
  const licenses = policy.licenses?.map(foldLicense);
  const origins = new Map<string, Denial>();
  const digests = new Map<string, Denial>();
  for (const denial of deny) {
    if (denial.origin !== undefined && !origins.has(denial.origin)) origins.set(denial.origin, denial);
    if (denial.digest !== undefined && !digests.has(denial.digest)) digests.set(denial.digest, denial);
  }
  const matching = createMatcher(deny);
  const signatures = createSignatureRules(policy.signatures ?? []);
  const readsText = !scripts || licenses !== undefined;

  function denialOf(facts: ServingFacts): Denial | undefined {
    const { origin, paths } = facts;
    const known = origins.get(origin) ?? first(paths, matching);
    if (known !== undefined || digests.size === 0) return known;
    const byDigest = (digest: string | undefined): Denial | undefined =>
      digest === undefined ? undefined : digests.get(digest);
    return (
      byDigest(facts.setDigest) ?? byDigest(facts.contentDigest) ?? first(facts.files, (file) => byDigest(file.digest))
    );
  }

  function scriptIn({ path, executable, text }: FileFacts): string | undefined {
    if (executable === true || isScript(path)) return 'it has scripts';
    if (text === 'unreadable') return `${path} cannot be read as text, so it may run commands`;
    return text?.runs === undefined ? undefined : `it has scripts: ${text.runs}`;
  }

  function licenseFault(license: string | undefined): string | undefined {
    if (licenses === undefined || (license !== undefined && licenses.includes(foldLicense(license)))) return undefined;
    return license === undefined ? 'it names no license' : 'its license is not accepted';
  }

  function oversize(bytes: number): Denied | undefined {
    if (maxBytes === undefined || bytes <= maxBytes) return undefined;
    return denyBy('maxBytes', `it has ${bytes} bytes; at most ${maxBytes} are allowed`);
  }

  function contentDenied(facts: ServingFacts): Denied | undefined {
    if (!scripts) {
      const why = facts.runs ? 'it has scripts' : first(facts.files, scriptIn);
      if (why !== undefined) return denyBy('scripts', why);
    }
    return oversize(facts.bytes);
  }

  function licenseDenied({ license, files }: ServingFacts): Denied | undefined {
    if (licenses === undefined) return undefined;
    const inText = ({ text }: FileFacts): string | undefined =>
      typeof text === 'object' && text.head !== undefined ? licenseFault(text.head.license) : undefined;
    const fault = licenseFault(license) ?? first(files, inText);
    return fault === undefined ? undefined : denyBy('licenses', fault);
  }

  function signatureDenied(facts: ServingFacts): Denied | undefined {
    if (facts.signature === undefined) return undefined;
    const fault = signatures.fault(facts, facts.signature);
    return fault === undefined ? undefined : denyBy('signatures', fault);
  }

  /** The `SKILL.md` of an inner skill may lack frontmatter; that of the skill itself may not. */
  function isUnjudged({ path, text }: FileFacts): boolean {
    if (!isSkillFile(path)) return false;
    return text === undefined || text === 'unreadable' || (path === skillFileName && text.head === undefined);
  }

  return {
    /** Whether any rule is about the content of single files. */
    judgesContent: readsText || maxBytes !== undefined || digests.size > 0,
    /** Whether any rule is about signatures. */
    judgesSignatures: (policy.signatures?.length ?? 0) > 0,
    /** The denial of a skill whose signature must be read before a rule can be judged. */
    unreadSignature(facts: Pick<ServingFacts, 'origin' | 'paths' | 'signature'>): Denied | undefined {
      if (facts.signature !== undefined || !signatures.needsSignature(facts)) return undefined;
      return denyBy('signatures', 'its signature cannot be read, so this rule cannot be checked');
    },
    acceptsResigned: (facts: Pick<ServingFacts, 'origin' | 'paths'>): boolean => signatures.acceptsResigned(facts),
    /** Whether what matches this path is denied, also for a folder inside a skill. */
    deniesPath: (path: string): boolean => matching(path) !== undefined,
    /** The denial of a skill whose `SKILL.md`, or one inside it, must be read before a rule can be judged. */
    unread({ files }: Pick<ServingFacts, 'files'>): Denied | undefined {
      const main = files.find(({ path }) => path === skillFileName);
      const why = `its ${skillFileName} cannot be read, so this rule cannot be checked`;
      if (readsText && (main === undefined || files.some(isUnjudged)))
        return denyBy(scripts ? 'licenses' : 'scripts', why);
      if (maxBytes !== undefined && main?.size === undefined) return denyBy('maxBytes', why);
      return digests.size > 0 && main?.digest === undefined ? denyBy('deny', why) : undefined;
    },
    /** By rules on single files alone. */
    deniesFile(file: FileFacts): Denied | undefined {
      const denial = file.digest === undefined ? undefined : digests.get(file.digest);
      if (denial !== undefined) return denied(denial);
      const why = scripts ? undefined : scriptIn(file);
      return why === undefined ? oversize(file.size ?? 0) : denyBy('scripts', why);
    },
    /** Decides from the known facts; `unread()` says whether they suffice. */
    decide(facts: ServingFacts): ServingVerdict {
      const denial = denialOf(facts);
      if (denial !== undefined) return denied(denial);
      const content = contentDenied(facts);
      if (content !== undefined) return content;
      if (dialects !== undefined && facts.dialect !== undefined && !dialects.includes(facts.dialect))
        return denyBy('dialects', `its origin publishes in the form "${facts.dialect}"`);
      const license = licenseDenied(facts);
      if (license !== undefined) return license;
      const unsigned = signatureDenied(facts);
      if (unsigned !== undefined) return unsigned;
      const approvedOnly = policy.mode === 'approved-only';
      if (!facts.dynamic) return approvedOnly ? approval : serve;
      // A skill without digests cannot be approved, so the operator has to allow it.
      if (policy.dynamic ?? !approvedOnly) return serve;
      return denyBy('dynamic', 'its files cannot be verified, so nobody can approve them');
    },
  };
}

export type ServingRules = ReturnType<typeof createServingPolicy>;

function denied(denial: Denial): Denied {
  return { ...denyBy('deny', denial.reason ?? `the policy denies ${denialText(denial)}`), denial };
}

function denyBy(rule: keyof ServingPolicy, reason: string): Denied {
  return { effect: 'deny', rule, reason };
}

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first denial whose pattern matches a path. The first denial also applies to a path that cannot be matched. */
function createMatcher(denials: readonly Denial[]): (path: string) => Denial | undefined {
  const rows = denials.flatMap((denial) =>
    denial.match === undefined ? [] : [{ denial, matches: pathPattern(denial.match) }],
  );
  return (path) => rows.find(({ matches }) => matches(path) ?? true)?.denial;
}

/** Describes a denial. */
export function denialText({ digest, origin, match }: Denial): string {
  if (digest !== undefined) return `the digest ${digest}`;
  return origin === undefined ? `what matches "${match ?? ''}"` : `the origin "${origin}"`;
}

function foldLicense(license: string): string {
  return license.trim().toLowerCase();
}
