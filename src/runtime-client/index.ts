/** `skillwire/runtime`: lets a running program (a page, an editor, a device) expose skills while it runs. */
export type { MdpAuth } from '../dialects/mdp/messages.ts';
export type { ErrorCode } from '../errors.ts';
export { SkillwireError } from '../errors.ts';
export type { ExposeOptions, SkillCall, SkillRequest, SkillResolver } from './exposures.ts';
export type { ConnectOptions, Runtime } from './runtime.ts';
export { createRuntime } from './runtime.ts';
export type { RuntimeOptions, RuntimeState, RuntimeStatus } from './runtime-options.ts';
