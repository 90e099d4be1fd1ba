/** URLs in an index. Some servers leave the scheme out; clients of the drafts then read `skill://`. */

const hasScheme = /^[a-z][a-z0-9+.-]{0,63}:/i;

export function completeUrl(url: string): string {
  return hasScheme.test(url) ? url : `skill://${url.replace(/^\/+/, '')}`;
}
