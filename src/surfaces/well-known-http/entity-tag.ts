/** Strong entity tags that are digests, and the two headers that ask for them (RFC 9110, 13.1.2 and 13.1.5). */

export function entityTag(digest: string): string {
  return `"${digest}"`;
}

/** Whether `If-None-Match` names the tag: one of a list, weak or not, or any at all. */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag) return true;
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === tag);
}
