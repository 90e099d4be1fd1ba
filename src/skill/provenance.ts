/**
 * The provenance of a gateway's entry, in `_meta` under `dev.skillwire/origin`. It is a claim of the gateway, not a
 * proof, and is accepted from other servers only in this shape. `via` lists the gateways on the way, nearest last, so
 * that a gateway notices when it would list itself.
 */
import { limits } from '../limits.ts';
import { metaPrefix } from '../project.ts';

/** The `_meta` key for the provenance of an entry. */
export const originMetaKey: string = `${metaPrefix}origin`;

/** `_meta` key of a row in a site index: the gateways that the skill came through, if nothing else says so. */
export const viaMetaKey: string = `${metaPrefix}via`;

/**
 * `files`: every file has a digest and leaves the gateway only if it matches. `some`: some files have one. `none`: no
 * file has one.
 */
export type VerifiedExtent = 'files' | 'some' | 'none';

/** The verdict of a gateway about a signature. */
export interface SignatureClaim {
  readonly state: string;
  /** The names that the gateway gives the signer. */
  readonly signer?: string;
}

/** The origin of a gateway's entry, and how much of it was verified. */
export interface Provenance {
  /** Chosen by the operator of the gateway. */
  readonly label: string;
  /** The URI of the skill at the upstream. */
  readonly uri: string;
  /** For example `mcp`, `stdio`, `site`, `folder`, `archive` or `mdp`. */
  readonly kind: string;
  /** The dialect that the upstream publishes, if there are several. */
  readonly dialect?: string;
  readonly verified: VerifiedExtent;
  /** ISO 8601: when the upstream got the current version. */
  readonly since: string;
  /** ISO 8601: when the upstream stopped answering; absent while it answers. */
  readonly stale?: string;
  readonly via: readonly string[];
  /** The verdict of this gateway about the signature. It proves nothing to others, so claims of upstreams are dropped. */
  readonly signature?: SignatureClaim;
  /** The claim of the upstream, if it is a gateway too. */
  readonly from?: Provenance;
}

const extents: readonly string[] = ['files', 'some', 'none'] satisfies readonly VerifiedExtent[];
const idPattern = /^[0-9a-z-]{8,64}$/;
const most = 1_024;

/** The claim of another server; `undefined` if it has another shape. */
export function decodeProvenance(value: unknown, depth = 0): Provenance | undefined {
  if (typeof value !== 'object' || value === null || depth > limits.gateway.hops) return undefined;
  const { label, uri, kind, dialect, verified, since, stale, via, from } = value as Record<string, unknown>;
  if (!isText(label) || !isText(uri, limits.uri.characters) || !isText(kind) || !isTime(since)) return undefined;
  if (typeof verified !== 'string' || !extents.includes(verified)) return undefined;
  if (!Array.isArray(via) || via.length > limits.gateway.hops * 2 || !via.every(isId)) return undefined;
  const before = from === undefined ? undefined : decodeProvenance(from, depth + 1);
  return {
    label,
    uri,
    kind,
    ...(isText(dialect) ? { dialect } : {}),
    verified: verified as VerifiedExtent,
    since,
    ...(isTime(stale) ? { stale } : {}),
    via: via as readonly string[],
    ...(before === undefined ? {} : { from: before }),
  };
}

/** Gateway ids named by another server; `undefined` if they have another shape. */
export function decodeVia(value: unknown): readonly string[] | undefined {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= limits.gateway.hops * 2;
  return isList && value.every(isId) ? (value as readonly string[]) : undefined;
}

function isText(value: unknown, longest: number = most): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest;
}

function isTime(value: unknown): value is string {
  return isText(value, 40) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && idPattern.test(value);
}
