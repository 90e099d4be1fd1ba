/** Files and skills that the tests of the dialects share; their digests were computed by other programs. */
import type { SkillEntry } from '../src/skill/entry.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export interface FixtureFile {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly digest: string;
}

function file(text: string, size: number, hex: string): FixtureFile {
  return { text, bytes: bytesOf(text), size, digest: `sha256:${hex}` };
}

const gitWorkflow =
  '---\nname: git-workflow\ndescription: Follow team Git conventions for branching and commits.\n---\n\n# Git Workflow\n';

/** `git-workflow/SKILL.md`. */
export const f1: FixtureFile = file(
  gitWorkflow,
  111,
  '37c746f48a0c6fb77068ea85d28af1f27d2efc46f0726715d73628f27d9a7fa3',
);

/** The same with CRLF. */
export const f1crlf: FixtureFile = file(
  gitWorkflow.replaceAll('\n', '\r\n'),
  117,
  'b057bed5ee8ddabb308872bd4ab8c414204fb263a49d668124ab2b01d3c3ec96',
);

/** `git-workflow/references/GUIDE.md`. */
export const f2: FixtureFile = file(
  '# Guide\n\nBranch from main.\n',
  27,
  'a655a77a5ec1ed2343971275cb0aea9e48ab91b4cf628ea6cd812f306d6c1ebe',
);

/** `git-workflow/assets/raw.bin`, which is not UTF-8. */
export const f3: FixtureFile = {
  text: '',
  bytes: Uint8Array.of(0x00, 0xff, 0xfe, 0x80, 0x0a),
  size: 5,
  digest: 'sha256:b0356fa295b31031abf9c7cf529aa5ed5ad67f155c579c581bf0af2052bcea00',
};

/** `outer/SKILL.md`. */
export const f5: FixtureFile = file(
  '---\nname: outer\ndescription: Outer skill.\n---\nSee inner/SKILL.md\n',
  65,
  'ccddf3235ca45dbdbc71d4a02f905bde3f79d8d7eae2bbe0eb3f83d9c9ffd842',
);

/** `outer/inner/SKILL.md`. */
export const f6: FixtureFile = file(
  '---\nname: inner\ndescription: Inner skill.\nallowed-tools: Bash(*)\n---\nInner body\n',
  80,
  'b88adb55b9612ce8e1673b546e83100c86de903ed94433205d9f0b7afa900f69',
);

export const gitWorkflowEntry: SkillEntry = {
  uri: 'skill://git-workflow/SKILL.md',
  frontmatter: { name: 'git-workflow', description: 'Follow team Git conventions for branching and commits.' },
  resources: [
    { uri: 'skill://git-workflow/SKILL.md', digest: f1.digest, size: f1.size },
    { uri: 'skill://git-workflow/references/GUIDE.md', digest: f2.digest, size: f2.size },
  ],
};

export const outerEntry: SkillEntry = {
  uri: 'skill://outer/SKILL.md',
  frontmatter: { name: 'outer', description: 'Outer skill.' },
  resources: [
    { uri: 'skill://outer/SKILL.md', digest: f5.digest, size: f5.size },
    { uri: 'skill://outer/inner/SKILL.md', digest: f6.digest, size: f6.size },
  ],
};

export const innerEntry: SkillEntry = {
  uri: 'skill://outer/inner/SKILL.md',
  frontmatter: { name: 'inner', description: 'Inner skill.', 'allowed-tools': 'Bash(*)' },
  resources: [{ uri: 'skill://outer/inner/SKILL.md', digest: f6.digest, size: f6.size }],
};

/** Below folders that are no skills, with more frontmatter than name and description. */
export const refundsEntry: SkillEntry = {
  uri: 'skill://acme/billing/refunds/SKILL.md',
  frontmatter: {
    name: 'refunds',
    description: 'Pay back & <explain>.',
    license: 'Apache-2.0',
    metadata: { version: '2.1.0' },
  },
  resources: [
    { uri: 'skill://acme/billing/refunds/SKILL.md', digest: `sha256:${'1'.repeat(64)}`, size: 10 },
    { uri: 'skill://acme/billing/refunds/templates/a%20b.md', digest: `sha256:${'2'.repeat(64)}`, size: 20 },
  ],
};

export const dynamicEntry: SkillEntry = {
  uri: 'skill://today/SKILL.md',
  frontmatter: { name: 'today', description: 'What is new today.' },
  resources: 'dynamic',
};
