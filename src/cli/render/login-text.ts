/** A login for people and programs. No token and no secret is shown. */
import type { Grant } from '../../credentials/grant.ts';
import { remainingMs } from '../../credentials/grant.ts';
import { displayText } from '../../skill/display-text.ts';
import { minuteText } from './values.ts';

export function loginJson(grant: Grant) {
  const { origin, url, issuer, resource, client, scope, expiresAt, refreshToken, at } = grant;
  return {
    origin,
    url,
    issuer,
    resource,
    clientId: client.id,
    clientFrom: client.from,
    scopes: scope === undefined ? [] : scope.split(' '),
    loggedInAt: at,
    expiresAt,
    renewable: refreshToken !== undefined,
    expired: isOver(grant),
  };
}

function isOver(grant: Grant): boolean {
  return grant.refreshToken === undefined && remainingMs(grant) <= 0;
}

/** One line. */
export function loginText(grant: Grant): string {
  const { origin, issuer, scope } = grant;
  const scopes = scope === undefined ? '' : `, scopes ${displayText(scope)}`;
  return `${displayText(origin)} at ${displayText(issuer)}${scopes}; ${validity(grant)}`;
}

function validity(grant: Grant): string {
  const { expiresAt, refreshToken } = grant;
  if (refreshToken !== undefined) return 'renewed automatically';
  if (expiresAt === undefined) return 'expiry unknown';
  return isOver(grant) ? 'expired' : `valid until ${minuteText(expiresAt)}, then log in again`;
}
