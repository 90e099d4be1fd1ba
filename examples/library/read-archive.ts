import { createCatalog } from 'skillwire';
import { archiveSource } from 'skillwire/node';

export const catalog = createCatalog(archiveSource('./pdf-tools.zip'));
export const { bytes } = await catalog.read('skill://pdf-tools/SKILL.md', {});
