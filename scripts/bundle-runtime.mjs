// Bundles the client for live programs into one file. Servers serve it at /runtime.js, so a page needs no build and no package.
import { resolve } from 'node:path';
import { rolldown } from 'rolldown';

/** @param {string} build the output of tsc, with the page in its `web` */
export async function bundleRuntime(build) {
  const bundle = await rolldown({ input: resolve(build, 'runtime-client/served.js'), platform: 'browser' });
  await bundle.write({ file: resolve(build, 'web/runtime.js'), format: 'esm', minify: true, comments: false });
  await bundle.close();
}
