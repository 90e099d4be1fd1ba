/**
 * The locations of the index in the two published forms of well-known discovery, and the schema id of the newer one.
 */

export const schemaV02 = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

/** Relative to the address of the site; no leading slash. */
export const folderV02 = '.well-known/agent-skills';
export const folderV01 = '.well-known/skills';
export const indexFileName = 'index.json';

/** The artifact types of the v0.2.0 index. */
export type ArtifactType = 'skill-md' | 'archive';
