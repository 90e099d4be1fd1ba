/**
 * Where an entry of a gateway came from, in `_meta` under `dev.skillwire/origin`. It is what the gateway says and no proof; whoever
 * reads it from another server takes it only in this shape. `via` names the gateways on the way, the nearest last, by which one
 * that is about to list itself notices it.
 */
import { limits } from '../limits.ts';
import { metaPrefix } from '../project.ts';

/** The key in `_meta` under which a gateway puts the provenance of an entry. */
export const originMetaKey: string = `${metaPrefix}origin`;

/** `_meta` key of a line in the index of a site: the gateways that the skill came through, where nothing else tells it. */
export const viaMetaKey: string = `${metaPrefix}via`;

/** `files`: every file has a digest and leaves the gateway only with it. `some`: some files have one. `none`: nothing has. */
export type VerifiedExtent = 'files' | 'some' | 'none';

/** Where an entry of a gateway comes from, and what of it was verified. */
export interface Provenance {
  /** Given by the operator of the gateway. */
  readonly label: string;
  /** What the upstream calls the skill. */
  readonly uri: string;
  /** `mcp`, `stdio`, `site`, `folder`, `archive`, `mdp` and the like. */
  readonly kind: string;
  /** The form in which the upstream publishes, where there are several. */
  readonly dialect?: string;
  readonly verified: VerifiedExtent;
  /** ISO 8601: since when the upstream has the skill as it is. */
  readonly since: string;
  /** ISO 8601: since when the upstream does not answer; absent where it does. */
  readonly stale?: string;
  readonly via: readonly string[];
  /** What the upstream, a gateway itself, says. */
  readonly from?: Provenance;
}

const extents: readonly string[] = ['files', 'some', 'none'] satisfies readonly VerifiedExtent[];
const idPattern = /^[0-9a-z-]{8,64}$/;
const most = 1_024;

/** What another server says, or undefined where it has another shape. */
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

/** Ids of gateways that another server names, or undefined where it has another shape. */
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
