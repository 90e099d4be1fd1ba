/**
 * Every name that we publish on a domain of our own comes from here: schema ids, links in reports, and the keys of `_meta`.
 * The owner sets `domainConfirmed` after registering the domain; until then `scripts/release-check.mjs` refuses a release.
 */
export const projectDomain = 'skillwire.dev';

/** @public read by `scripts/release-check.mjs` */
export const domainConfirmed: boolean = false;

export const projectUrl: string = `https://${projectDomain}`;

/** Reverse domain name, as MCP asks for. Upstream data never carries such a key through us unchecked. */
export const metaPrefix: string = `${projectDomain.split('.').reverse().join('.')}/`;

/** @param path below `schema/`, such as `output/list.json` */
export function schemaId(path: string): string {
  return `${projectUrl}/schema/${path}`;
}
