/** Frontmatter of the entry that differs from the file. The digest of the file always matches. */
import type { JsonObject } from '../../../skill/json.ts';
import { type Behavior, behaviors } from '../misbehavior.ts';
import { refunds, type ServedSkill, serving } from '../served-skill.ts';

/** The entry has changed frontmatter; the file does not. */
function claimed(change: (frontmatter: JsonObject) => JsonObject, fields: JsonObject = {}): ServedSkill {
  return refunds({ fields }, (entry) => ({ ...entry, frontmatter: change(entry.frontmatter) }));
}

/** A file written by hand, and the frontmatter that the entry claims for it. */
function written(lines: readonly string[], frontmatter: JsonObject): ServedSkill {
  const skillMd = ['---', 'name: refunds', 'description: Decides refunds.', ...lines, '---', '', '# Refunds', ''];
  return refunds({ skillMd: skillMd.join('\n') }, (entry) => ({
    ...entry,
    frontmatter: { name: 'refunds', description: 'Decides refunds.', ...frontmatter },
  }));
}

const scalars = ['metadata:', '  since: 2026-01-02', '  level: 012', '  strict: yes', '  version: 1.0'];

const mismatch = {
  expected: 'refuse',
  stage: 'load',
  requirements: ['H-35', 'H-36', 'sec:C-3', 'adv-frontmatter-mismatch'],
} as const;

const tolerable = { expected: 'accept', stage: 'load', requirements: ['H-35', 'sec:Y-12'] } as const;

export const frontmatterLies: readonly Behavior[] = behaviors('content', {
  'frontmatter-field-changed': {
    ...mismatch,
    title: 'The description of the entry differs from that of the file.',
    what: 'The skill does not load, and the field is named.',
    script: serving(() => claimed((fields) => ({ ...fields, description: 'Only reads, never pays.' }))),
  },
  'frontmatter-extra-field': {
    ...mismatch,
    title: 'The entry has a field that the file lacks.',
    what: 'An extra field is a difference.',
    script: serving(() => claimed((fields) => ({ ...fields, license: 'Apache-2.0' }))),
  },
  'frontmatter-missing-field': {
    ...mismatch,
    title: 'The file has a field that the entry lacks.',
    what: 'A missing field is a difference.',
    script: serving(() => claimed(({ license: _, ...fields }) => fields, { license: 'Proprietary' })),
  },
  'frontmatter-nested-changed': {
    ...mismatch,
    title: 'A value below metadata differs.',
    what: 'Fields are compared at every depth.',
    script: serving(() =>
      claimed((fields) => ({ ...fields, metadata: { owner: { team: 'billing' } } }), {
        metadata: { owner: { team: 'sales' } },
      }),
    ),
  },
  'frontmatter-name-changed': {
    ...mismatch,
    title: 'The file and the entry have different names.',
    what: 'The name is compared like any other field, and it differs.',
    script: serving(() =>
      refunds({ skillMd: '---\nname: payouts\ndescription: Decides refunds.\n---\n' }, (entry) => ({
        ...entry,
        frontmatter: { name: 'refunds', description: 'Decides refunds.' },
      })),
    ),
  },
  'allowed-tools-only-in-file': {
    ...mismatch,
    title: 'The file asks for tools, and the entry does not mention it.',
    requirements: [...mismatch.requirements, 'H-55', 'sec:C-9'],
    what: 'The approved version asked for no tools, so the skill does not load.',
    script: serving(() => claimed(({ 'allowed-tools': _, ...fields }) => fields, { 'allowed-tools': 'Bash(*)' })),
  },
  'allowed-tools-only-in-entry': {
    ...mismatch,
    title: 'The entry asks for tools and the file does not.',
    requirements: [...mismatch.requirements, 'H-55', 'sec:C-9'],
    what: 'An entry cannot ask for what the file does not ask for.',
    script: serving(() => claimed((fields) => ({ ...fields, 'allowed-tools': 'Bash(*)' }))),
  },
  'frontmatter-not-in-file': {
    ...mismatch,
    title: 'The file has no frontmatter.',
    requirements: ['H-35', 'H-36', 'sec:Y-4'],
    what: 'Values that cannot be compared are not equal.',
    script: serving(() => refunds({ skillMd: '# Refunds\n\nNo header.\n' })),
  },
  'frontmatter-not-yaml': {
    ...mismatch,
    title: 'The frontmatter of the file is not YAML.',
    requirements: ['H-35', 'H-36', 'sec:Y-4'],
    what: 'The skill does not load, and the line is named.',
    script: serving(() => written(['allowed-tools: [Read, Grep'], {})),
  },
  'frontmatter-alias-bomb': {
    ...mismatch,
    title: 'Aliases in the frontmatter multiply to a billion values.',
    requirements: ['H-36', 'sec:Y-6'],
    what: 'The parser stops at its limits instead of running out of memory.',
    script: serving(() => written(laughs(), {})),
  },
  'frontmatter-too-large': {
    ...mismatch,
    title: 'The frontmatter has 300 KiB.',
    requirements: ['sec:Y-5'],
    what: 'It is refused for its length, before it is parsed.',
    script: serving(() => refunds({ fields: { notes: 'n'.repeat(300 * 1024) } })),
  },
  'frontmatter-too-deep': {
    ...mismatch,
    title: 'A value of the frontmatter is nested 5,000 deep.',
    requirements: ['sec:Y-5', 'sec:Y-17'],
    what: 'It is refused for its depth, without a stack overflow.',
    script: serving(() => written([`metadata: ${'['.repeat(5_000)}${']'.repeat(5_000)}`], {})),
  },
  'frontmatter-code-header': {
    ...mismatch,
    title: 'The file begins with ---js and a program.',
    requirements: ['H-48', 'sec:Y-11'],
    what: 'It is not frontmatter, and none of it runs.',
    script: serving(() => refunds({ skillMd: '---js\nglobalThis.skillRan = true\n---\n\n# Refunds\n' })),
  },
  'frontmatter-key-order': {
    ...tolerable,
    title: 'The entry has the fields of the file in another order.',
    what: 'Order does not matter; the skill loads.',
    script: serving(() =>
      claimed((fields) => Object.fromEntries(Object.entries(fields).reverse()), { license: 'MIT' }),
    ),
  },
  'frontmatter-yaml-1-1': {
    ...tolerable,
    title: 'The entry was made by a YAML 1.1 reader: 012 is 10, yes is true, a date is a time.',
    what: 'Another known way to read the same text is accepted and reported.',
    script: serving(() =>
      written(scalars, { metadata: { since: '2026-01-02T00:00:00.000Z', level: 10, strict: true, version: 1 } }),
    ),
  },
  'frontmatter-all-strings': {
    ...tolerable,
    title: 'The entry was made by a parser that reads every scalar as text.',
    what: 'Another known way to read the same text is accepted and reported.',
    script: serving(() =>
      written(scalars, { metadata: { since: '2026-01-02', level: '012', strict: 'yes', version: '1.0' } }),
    ),
  },
  'frontmatter-prototype-key': {
    expected: 'inert',
    stage: 'load',
    requirements: ['H-35', 'sec:Y-9'],
    title: 'The frontmatter has the keys __proto__ and constructor, in the file and in the entry alike.',
    what: 'They are ordinary names: compared, stored, and never used as a prototype.',
    script: serving(() =>
      written(['metadata:', '  "__proto__": { "approved": "yes" }', '  constructor: none'], {
        metadata: JSON.parse('{"__proto__":{"approved":"yes"},"constructor":"none"}'),
      }),
    ),
  },
});

function laughs(): string[] {
  const lines = ['metadata:', '  a0: &a0 ["ha", "ha"]'];
  for (let level = 1; level < 30; level++) lines.push(`  a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`);
  return lines;
}
