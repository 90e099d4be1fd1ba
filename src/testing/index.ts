/** Public entry `skillwire/testing`: test suites and corpora for authors of sources, servers and clients. */
export type { RecordedRequest } from './misbehaving/conversation.ts';
export {
  type MisbehavingHttpServer,
  type MisbehavingServer,
  type MisbehavingServerOptions,
  type MisbehavingStdioServer,
  misbehavingServer,
  misbehaviors,
} from './misbehaving/misbehaving-server.ts';
export type { Misbehavior } from './misbehaving/misbehavior.ts';
export { hostileUris, type SkillSourceSuite, type SourceUnderTest, testSkillSource } from './test-skill-source.ts';
export { type StoreSuite, testStore } from './test-store.ts';
export type { StoreLink, StoreUnderTest } from './test-store-values.ts';
export { type UnusualSkill, type UnusualTree, writeUnusualTree } from './unusual-tree.ts';
