import { createCatalog } from 'skillwire';
import { directorySource } from 'skillwire/node';

export const catalog = createCatalog(directorySource(['./skills', { path: './team', label: 'team' }]));
const { listed, findings } = await catalog.snapshot();
for (const { entry } of listed) console.log(entry.uri, entry.frontmatter.description);
for (const { level, file, message, remedy } of findings) console.log(level, file, message, remedy);

export const stop = catalog.subscribe(({ changed, files }) => console.log('changed:', changed, files));
export const { bytes } = await catalog.read('skill://pdf-tools/SKILL.md', {});
