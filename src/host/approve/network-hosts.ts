/**
 * Network hosts that a text mentions: the host of every `scheme://host` and of `user@host:path`. Names without either are not
 * looked for, since `guide.md` looks like one too. Takes time in proportion to the text.
 */

/** Schemes that name something on this machine or inside a skill. */
const innerSchemes: ReadonlySet<string> = new Set(['skill:', 'file:', 'data:', 'urn:', 'about:', 'resource:', 'mcp:']);

const schemeCharacters = 20;
const addressCharacters = 300;

/** Adds the hosts to the set, in lower case, as browsers would write them (`xn--` instead of other alphabets). */
export function networkHosts(text: string, hosts: Set<string>): void {
  if (text.includes('\\/')) networkHosts(text.replaceAll('\\/', '/'), hosts);
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const scheme = /[a-z][a-z0-9+.-]*$/i.exec(text.slice(Math.max(0, at - schemeCharacters), at))?.[0];
    const authority = /^[^\s/?#<>"'`|\\^{}]+/.exec(text.slice(at + 3, at + 3 + addressCharacters))?.[0];
    if (scheme === undefined || authority === undefined || innerSchemes.has(`${scheme.toLowerCase()}:`)) continue;
    const parts = authority.split('@');
    for (const [index, part] of parts.entries()) {
      const host = index === parts.length - 1 || part.includes('.') ? hostOf(part) : undefined;
      if (host !== undefined) hosts.add(host);
    }
  }
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    if (!/[\w.-]$/.test(text.slice(Math.max(0, at - 1), at))) continue;
    const host = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)+):(?=[\w~/.])/i.exec(
      text.slice(at + 1, at + 1 + addressCharacters),
    )?.[1];
    if (host !== undefined) hosts.add(host.toLowerCase());
  }
}

/** Read as part of an HTTP address, whatever the scheme: only then is a host normalised. Punctuation ends it. */
function hostOf(part: string): string | undefined {
  const host = part.startsWith('[') ? /^\[[\da-f:.]+\]/i.exec(part)?.[0] : /^[^)\],;*!]+/.exec(part)?.[0];
  const address = `http://${host ?? ''}`;
  if (host === undefined || !URL.canParse(address)) return undefined;
  const { hostname } = new URL(address);
  return hostname.replace(/\.+$/, '') || undefined;
}
