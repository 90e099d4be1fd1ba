/** `/runtime.js` of a server: the client for pages, as one file. Its hub is the server that it was loaded from. */
import { createRuntime as create, type Runtime } from './runtime.ts';
import type { RuntimeOptions } from './runtime-options.ts';

export { SkillwireError } from '../errors.ts';

/** Default for `url`: the server that this file was loaded from. */
export function createRuntime(options: Partial<Pick<RuntimeOptions, 'url'>> & Omit<RuntimeOptions, 'url'>): Runtime {
  const { url = new URL('.', import.meta.url).href.replace(/^http/, 'ws') } = options;
  return create({ ...options, url });
}
