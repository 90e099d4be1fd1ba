/**
 * Servers of the drafts of SEP-2640 with `skill://index.json`. From: the drafts of 2026-03-24 to 07-13, their discussion (for Microsoft's
 * Foundry toolbox), and the source of Hugging Face's server at that time.
 */
import { packArchive } from '../../../src/archive/pack.ts';
import { sha256Digest } from '../../../src/skill/digest.ts';
import { f1, f2, f3 } from '../../dialect-fixtures.ts';
import { Fault, reading, type StandIn, skillMd } from './stand-in.ts';

const gitWorkflow = 'skill://git-workflow/SKILL.md';
const frontmatter = { name: 'git-workflow', description: 'Follow team Git conventions for branching and commits.' };
const files = [
  { path: 'SKILL.md', bytes: f1.bytes, executable: false },
  { path: 'assets/raw.bin', bytes: f3.bytes, executable: false },
  { path: 'references/GUIDE.md', bytes: f2.bytes, executable: false },
];
const live = {
  [gitWorkflow]: f1.text,
  'skill://git-workflow/references/GUIDE.md': f2.text,
  'skill://git-workflow/assets/raw.bin': f3.bytes,
};
const resources = { resources: {} };

/** Form A as it was first: no digests, nothing declared. */
export function formA0(): StandIn {
  const index = {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [
      { type: 'skill-md', ...frontmatter, url: gitWorkflow },
      { name: 'x', type: 'wasm', description: 'Of a type that nobody knows.', url: 'skill://x' },
      { type: 'skill-md', name: 'broken', description: 'Its text is gone.', url: 'skill://broken/SKILL.md' },
    ],
  };
  return {
    name: 'index-form-a0',
    from: 'drafts of SEP-2640, 2026-03-24 to 04-23',
    capabilities: resources,
    methods: { 'resources/read': reading({ 'skill://index.json': index, ...live }) },
  };
}

/** Both entries for each skill, as Foundry writes them: files and an archive; and a template beside them. */
export async function bothEntries(): Promise<StandIn> {
  const archive = packArchive(files, 'tar.gz');
  const index = {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [
      { type: 'skill-md', ...frontmatter, url: gitWorkflow, digest: f1.digest },
      {
        type: 'archive',
        ...frontmatter,
        url: 'skill://git-workflow.tar.gz',
        digest: await sha256Digest(archive),
      },
      {
        type: 'mcp-resource-template',
        description: 'Per-product documentation skill',
        url: 'skill://docs/{product}/SKILL.md',
      },
    ],
  };
  const docs = { 'skill://docs/router/SKILL.md': skillMd('router') };
  return {
    name: 'foundry-toolbox',
    from: 'discussion of SEP-2640; draft of 2026-06-03',
    capabilities: { resources: {}, completions: {} },
    methods: {
      'resources/read': reading({
        'skill://index.json': index,
        ...live,
        ...docs,
        'skill://git-workflow.tar.gz': archive,
      }),
      'completion/complete': ({ argument }) => {
        const { value } = argument as { value: string };
        return { completion: { values: ['router', 'switch'].filter((one) => one.startsWith(value)), hasMore: false } };
      },
    },
  };
}

/** Form B: verbatim frontmatter; one skill by its files, one as archives only. The extension is declared, its methods are not there. */
export async function formB(): Promise<StandIn> {
  const pdf = skillMd('pdf-processing', 'Work with PDF files.').replace('---\n\n', 'license: MIT\n---\n\n');
  const packed = [
    { path: 'SKILL.md', bytes: new TextEncoder().encode(pdf), executable: false },
    { path: 'scripts/fill.py', bytes: new TextEncoder().encode('print(1)\n'), executable: true },
  ];
  const tar = packArchive(packed, 'tar.gz');
  const zip = packArchive(packed, 'zip');
  const index = {
    skills: [
      { url: gitWorkflow, digest: f1.digest, frontmatter },
      {
        frontmatter: { name: 'pdf-processing', description: 'Work with PDF files.', license: 'MIT' },
        archives: [
          { url: 'skill://pdf-processing.tar.gz', mimeType: 'application/gzip', digest: await sha256Digest(tar) },
          { url: 'skill://pdf-processing.zip', mimeType: 'application/zip', digest: await sha256Digest(zip) },
        ],
      },
    ],
  };
  return {
    name: 'index-form-b',
    from: 'drafts of SEP-2640, 2026-06-08 to 06-25; source of hf-mcp-server then',
    capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
    methods: {
      'resources/read': reading(
        {
          'skill://index.json': index,
          ...live,
          'skill://pdf-processing.tar.gz': tar,
          'skill://pdf-processing.zip': zip,
        },
        () => {
          throw new Fault(-32602, 'unknown resource');
        },
      ),
    },
  };
}

/** Form C: the manifest in the index, without sizes. */
export function formC(): StandIn {
  const manifest = [
    { uri: gitWorkflow, digest: f1.digest },
    { uri: 'skill://git-workflow/references/GUIDE.md', digest: f2.digest },
    { uri: 'skill://git-workflow/assets/raw.bin', digest: f3.digest },
  ];
  const today = { name: 'today', description: 'What is new today.' };
  const index = {
    skills: [
      { uri: gitWorkflow, frontmatter, resources: manifest },
      { uri: 'skill://today/SKILL.md', frontmatter: today, resources: 'dynamic' },
    ],
  };
  const texts = { 'skill://today/SKILL.md': skillMd('today', 'What is new today.') };
  return {
    name: 'index-form-c',
    from: 'draft of SEP-2640, 2026-07-13',
    capabilities: resources,
    methods: { 'resources/read': reading({ 'skill://index.json': index, ...live, ...texts }) },
  };
}
