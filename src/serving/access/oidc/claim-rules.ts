/**
 * Maps the claims of a person or program to a profile and rights. Only rules that match count: without one, there is no access.
 *
 * - A rule matches if every claim that it names has one of the wanted values.
 * - The first matching rule with a profile decides the profile. Rights of all matching rules add up.
 * - Scopes are compared whole: `skills` does not include `skills:operate`, or a reader would become an operator.
 * - `email` counts only together with `email_verified`: otherwise anybody could choose one.
 * - If the issuer left a claim out because it was too large, no rule about it can be decided.
 */
import { isJsonObject } from '../../../skill/json.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** A claim must contain one of these values. */
export type ClaimValues = readonly (string | boolean)[];

export interface ClaimRule {
  /** Claims by name, or by path: `realm_access.roles`. */
  readonly match: Readonly<Record<string, ClaimValues>>;
  readonly profile?: string;
  readonly operator?: boolean;
  readonly approver?: boolean;
}

export interface ClaimedRights {
  /** Absent: no access. */
  readonly profile?: string;
  readonly operator: boolean;
  readonly approver: boolean;
  /** True if a scope gave the profile; such a scope includes the scopes that every token must have. */
  readonly byScope: boolean;
  /** The claim that the issuer left out although a rule needs it. */
  readonly omitted?: string;
}

const scopeClaims = ['scope', 'scp'] as const;

export function rightsOf(claims: Claims, rules: readonly ClaimRule[]): ClaimedRights {
  const omitted = rules.flatMap(({ match }) => Object.keys(match)).find((name) => isOmitted(claims, name));
  if (omitted !== undefined) return { operator: false, approver: false, byScope: false, omitted };
  const matching = rules.filter((rule) => matches(claims, rule));
  const giving = matching.filter((rule) => rule.profile !== undefined);
  const profile = giving[0]?.profile;
  return {
    profile,
    operator: matching.some(({ operator }) => operator === true),
    approver: matching.some(({ approver }) => approver === true),
    byScope: giving.some(({ match }) => Object.keys(match).some(isScopeClaim)),
  };
}

/** Scopes of `scope` (RFC 9068) or `scp` (Entra ID, Okta). */
export function scopesOf(claims: Claims): readonly string[] {
  return scopeClaims.flatMap((name) => textsIn(Object.hasOwn(claims, name) ? claims[name] : undefined).flatMap(words));
}

/** The scopes that give a right, by the rules that name scopes. */
export function scopesFor(rules: readonly ClaimRule[], right: 'profile' | 'operator' | 'approver'): readonly string[] {
  const giving = rules.filter((rule) => rule[right] !== undefined && rule[right] !== false);
  const wanted = giving.flatMap(({ match }) => scopeClaims.flatMap((name) => match[name]?.[0] ?? []));
  return [...new Set(wanted.filter((scope) => typeof scope === 'string'))];
}

function matches(claims: Claims, { match }: ClaimRule): boolean {
  return Object.entries(match).every(([name, wanted]) => {
    if (name === 'email' && claims['email_verified'] !== true) return false;
    const value = claimAt(claims, name);
    const values = isScopeClaim(name) ? textsIn(value).flatMap(words) : [value].flat();
    return wanted.some((one) => (values as readonly unknown[]).includes(one));
  });
}

/** The claim with this name; if there is none, the name is read as a path. Names may have dots themselves. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const first = name.slice(0, dot);
    const inner = Object.hasOwn(claims, first) ? claims[first] : undefined;
    if (isJsonObject(inner)) return claimAt(inner, name.slice(dot + 1));
  }
  return undefined;
}

/** Entra ID leaves `groups` out if there are more than 200, and says so in `_claim_names` or `hasgroups`. */
function isOmitted(claims: Claims, name: string): boolean {
  if (Object.hasOwn(claims, name)) return false;
  const names = claims['_claim_names'];
  if (isJsonObject(names) && Object.hasOwn(names, name)) return true;
  return name === 'groups' && (claims['hasgroups'] === true || claims['hasgroups'] === 'true');
}

const isScopeClaim = (name: string): boolean => scopeClaims.some((claim) => claim === name);

function textsIn(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string');
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}
