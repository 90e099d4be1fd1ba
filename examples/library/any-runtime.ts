import { createCatalog, mcpHandler, memorySource } from 'skillwire';

const text = '---\nname: git-workflow\ndescription: How we branch and commit.\n---\n\n# Git workflow\n';
export const catalog = createCatalog(memorySource({ 'git-workflow': { 'SKILL.md': text } }));
export default { fetch: mcpHandler(catalog) };
