/**
 * Our command line as a client of the conformance suite: `conformance-client.mjs URL`. It does what a person would: looks at the listing,
 * reads the first skill and, if that went well, its files. The scenario about prefetching only lists.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const origin = `mcp:${process.argv.at(-1)}`;

function skillwire(...args) {
  const run = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  process.stderr.write(run.stderr);
  return run;
}

const listed = skillwire('list', origin, '--json');
if (listed.status === 0 && process.env.MCP_CONFORMANCE_SCENARIO !== 'sep-2640-client-no-prefetch') {
  const [skill] = JSON.parse(listed.stdout).skills;
  const entry = skillwire('show', origin, skill.uri, '--json');
  if (skillwire('read', origin, skill.uri).status === 0) {
    for (const { uri } of JSON.parse(entry.stdout).entry.resources) skillwire('read', origin, skill.uri, uri);
  }
}
