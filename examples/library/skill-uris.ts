import { buildSkillUri, parseSkillUri } from 'skillwire';

export const uri = buildSkillUri('acme/refunds/templates/größe 1.md');
// skill://acme/refunds/templates/gr%C3%B6%C3%9Fe%201.md
export const { path, segments } = parseSkillUri(uri);
