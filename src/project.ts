/**
 * Every name that we publish on a domain of our own comes from here. These are schema ids, links in reports, keys of `_meta`, and the
 * address of the repository. The owner confirms the domain and the repository; until then `scripts/release-check.mjs` refuses a release.
 */
export const projectDomain = 'skillwire.dev';

/** @public read by `scripts/release-check.mjs` */
export const domainConfirmed: boolean = false;

/** On GitHub; `package.json` has the same address. @public read by `scripts/release-check.mjs` */
export const repository = 'skillwire/skillwire';

/** @public read by `scripts/release-check.mjs` */
export const repositoryConfirmed: boolean = false;

export const projectUrl: string = `https://${projectDomain}`;

/** Reverse domain name, as MCP asks for. Upstream data never carries such a key through us unchecked. */
export const metaPrefix: string = `${projectDomain.split('.').reverse().join('.')}/`;

/** @param path below `schema/`, such as `output/list.json` */
export function schemaId(path: string): string {
  return `${projectUrl}/schema/${path}`;
}
