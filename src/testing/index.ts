/** Public entry `skillwire/testing`: suites and corpora for whoever writes a source, a server or a host. */
export { type OddSkill, type OddTree, writeOddTree } from './odd-tree.ts';
export { hostileUris, type SkillSourceSuite, type SourceUnderTest, testSkillSource } from './test-skill-source.ts';
