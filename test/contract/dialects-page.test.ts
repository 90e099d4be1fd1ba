/** The table of what is served in docs/reference/dialects.md, with the losses of each dialect as its codec has them. */
import { expect, test } from 'vitest';
import type { Loss } from '../../src/dialects/dialect-skill.ts';
import { fastmcpLosses } from '../../src/dialects/fastmcp/manifest.ts';
import { nimblebrainLosses } from '../../src/dialects/nimblebrain/usage-resource.ts';
import { resourceTemplatesLosses } from '../../src/dialects/resource-templates/skill-templates.ts';
import { sep2076Losses } from '../../src/dialects/sep-2076/sep-2076.ts';
import { skillIndexLosses } from '../../src/dialects/skill-index/build-index.ts';
import { skilljackLosses } from '../../src/dialects/skilljack/skilljack-resources.ts';
import { skillsOverMcpLosses } from '../../src/dialects/skills-over-mcp/groves-index.ts';
import { defaultDialects, type ServedDialect, servedDialects } from '../../src/surfaces/mcp/aliases/served-dialects.ts';
import { expectSection, table } from '../generated-section.ts';

const served: Readonly<Record<ServedDialect, { readonly has: string; readonly losses: readonly Loss[] }>> = {
  'skill-index': {
    has: '`skill://index.json`, right in the forms A, B and C of the drafts; listed',
    losses: skillIndexLosses.C,
  },
  archives: { has: '`skill://<path>.tar.gz` and `.zip`; named in the index for skills of several files', losses: [] },
  'resource-list': { has: '`resources/list` with `uri`: `skill://` or a folder', losses: [] },
  fastmcp: { has: '`skill://<path>/_manifest`', losses: fastmcpLosses },
  skilljack: {
    has: '`skill://<name>`, `skill://<name>/` with all files, `skill://<name>/<file>`, subscriptions to `skill://`',
    losses: skilljackLosses,
  },
  'skills-over-mcp': {
    has: '`skill://index`, `skill://prompt-xml`, `skill://<name>`, `/documents`, `/document/<file>`, `skill://lookup/<name>`',
    losses: skillsOverMcpLosses,
  },
  nimblebrain: {
    has: '`skill://<label>/usage` and a sentence in the instructions (`--usage`)',
    losses: nimblebrainLosses,
  },
  'resource-templates': {
    has: 'a template for each folder of skills, those of live programs, and completion of any template of skills',
    losses: resourceTemplatesLosses,
  },
  'skilljack-tools': { has: 'tools `skill` and `skill-resource`, prompts', losses: skilljackLosses },
  'sep-2076': { has: '`capabilities.skills`, `skills/list` and `skills/get` by name', losses: sep2076Losses },
};

test('docs/reference/dialects.md lists every served dialect', () => {
  expect(Object.keys(served)).toEqual([...servedDialects]);
  const rows = servedDialects.map((id) => [
    `\`${id}\``,
    defaultDialects.includes(id) ? 'on' : 'off',
    served[id].has,
    served[id].losses.map(({ part }) => part).join(', '),
  ]);
  expectSection(
    'docs/reference/dialects.md',
    'served',
    table(['id', 'default', 'what is answered', 'what it cannot carry'], rows),
  );
});
