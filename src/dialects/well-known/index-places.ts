/** Where the two published forms of well-known discovery keep their index, and the one id of the newer one's schema. */

export const schemaV02 = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

/** Below the address that a site was given as; no slash at the begin. */
export const folderV02 = '.well-known/agent-skills';
export const folderV01 = '.well-known/skills';
export const indexFileName = 'index.json';

/** What the index of v0.2.0 calls an artifact. */
export type ArtifactType = 'skill-md' | 'archive';
