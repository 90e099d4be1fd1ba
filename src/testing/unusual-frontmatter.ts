/** Cases of the corpus in `unusual-tree.ts` with an unusual `SKILL.md`. Each imitates a defect of public skills. */
import { limits } from '../limits.ts';
import { description, onlySkillMd, refused, served, skillText, type UnusualCase } from './unusual-skill.ts';

const tooLongName = `${'table-'.repeat(10)}check`;
const tooLongText = 'Checks a table. '.repeat(65).trimEnd();
const steps = Array.from({ length: limits.skill.bodyLines + 20 }, (_, index) => `- Look at row ${index + 1}.`);

export const frontmatterCases: readonly UnusualCase[] = [
  served(
    'multi-line-quotes',
    'The description is in quotes and runs over two lines.',
    onlySkillMd('name: multi-line-quotes', 'description: "Checks a table row', '  by row. Use when a table arrives."'),
    { rules: ['frontmatter-uncommon-yaml'] },
  ),
  served(
    'yaml-anchors',
    'A value is written once and repeated by an alias.',
    onlySkillMd('name: yaml-anchors', description, 'metadata:', '  owner: &team "data"', '  reviewer: *team'),
    { rules: ['frontmatter-uncommon-yaml'] },
  ),
  served(
    'multi-line-list',
    'A list in brackets runs over two lines.',
    onlySkillMd('name: multi-line-list', description, 'allowed-tools: [Read,', '  Grep]'),
    { rules: ['frontmatter-uncommon-yaml', 'frontmatter-field-type'] },
  ),
  served(
    'version-as-number',
    'The version 1.10 has no quotes, so most parsers read 1.1.',
    onlySkillMd('name: version-as-number', description, 'metadata:', '  version: 1.10'),
    { rules: ['frontmatter-ambiguous-scalar', 'frontmatter-not-listed'] },
  ),
  served(
    'metadata-list',
    'A value under metadata is a list.',
    onlySkillMd('name: metadata-list', description, 'metadata:', '  tags:', '    - tables', '    - checks'),
    { rules: ['frontmatter-not-listed'] },
  ),
  served(
    'metadata-map',
    'A value under metadata is a mapping.',
    onlySkillMd('name: metadata-map', description, 'metadata:', '  owner:', '    team: "data"'),
    { rules: ['frontmatter-not-listed'] },
  ),
  served(
    'metadata-text',
    'metadata is a text instead of a mapping.',
    onlySkillMd('name: metadata-text', description, 'metadata: owned by the data team'),
    { rules: ['frontmatter-not-listed'] },
  ),
  served(
    'allowed-tools-list',
    'allowed-tools is a list instead of a text.',
    onlySkillMd('name: allowed-tools-list', description, 'allowed-tools:', '  - Read', '  - Grep'),
    { rules: ['frontmatter-field-type'] },
  ),
  served(
    'compatibility-list',
    'compatibility is a list instead of a text.',
    onlySkillMd('name: compatibility-list', description, 'compatibility:', '  - Python 3', '  - Linux'),
    { rules: ['frontmatter-not-listed'] },
  ),
  served(
    'unknown-keys',
    'version, author and tags are keys of their own instead of metadata.',
    onlySkillMd('name: unknown-keys', description, 'version: "1.2.0"', 'author: Data team', 'tags: [tables, checks]'),
    { rules: ['frontmatter-unknown-key'] },
  ),
  served(
    'byte-order-mark',
    'SKILL.md begins with a byte-order mark.',
    { 'SKILL.md': `\uFEFF${skillText('name: byte-order-mark', description)}` },
    { rules: ['skill-md-bom'] },
  ),
  served(
    'blanks-after-fence',
    'Blanks follow the closing line of the frontmatter.',
    { 'SKILL.md': skillText('name: blanks-after-fence', description).replace('\n---\n', '\n---   \n') },
    { rules: ['frontmatter-uncommon-yaml'] },
  ),
  served('windows-line-ends', 'Lines end with CRLF.', {
    'SKILL.md': skillText('name: windows-line-ends', description).replaceAll('\n', '\r\n'),
  }),
  served(
    'long-body',
    'The body has more lines than the specification advises.',
    { 'SKILL.md': `${skillText('name: long-body', description)}\n${steps.join('\n')}\n` },
    { rules: ['skill-md-long-body'] },
  ),
  served(
    'renamed/table-check-v2',
    'The folder has another name than the skill, so the name follows the folder in the URI.',
    onlySkillMd('name: table-check', description),
    { uri: 'skill://renamed/table-check-v2/table-check/SKILL.md', rules: ['name-differs-from-folder'] },
  ),
  served(
    'lower-case-file',
    'The file is spelled skill.md and is served as SKILL.md.',
    { 'skill.md': skillText('name: lower-case-file', description) },
    { files: ['SKILL.md'], rules: ['skill-md-spelling'] },
  ),

  refused(
    'unquoted-colon',
    'The description contains a colon and a space without quotes.',
    ['frontmatter-unquoted-colon'],
    onlySkillMd('name: unquoted-colon', 'description: Use when: a table arrives'),
  ),
  refused(
    'invalid-yaml',
    'A bracket is opened and never closed.',
    ['frontmatter-yaml'],
    onlySkillMd('name: invalid-yaml', description, 'allowed-tools: [Read, Grep'),
  ),
  refused(
    'duplicate-key',
    'The description is given twice.',
    ['frontmatter-duplicate-key'],
    onlySkillMd('name: duplicate-key', description, 'description: Checks a table column by column.'),
  ),
  refused('no-frontmatter', 'SKILL.md begins with its heading.', ['frontmatter-missing'], {
    'SKILL.md': '# Table check\n\nCompare each row with its header.\n',
  }),
  refused('empty-skill-md', 'SKILL.md has no bytes.', ['frontmatter-missing'], { 'SKILL.md': '' }),
  refused('unclosed-frontmatter', 'The frontmatter has no closing line.', ['frontmatter-unclosed'], {
    'SKILL.md': `---\nname: unclosed-frontmatter\n${description}\n\n# Table check\n`,
  }),
  refused(
    'latin-1',
    'SKILL.md is saved as Latin-1, with a letter that is not valid UTF-8.',
    ['skill-md-not-utf8'],
    {
      'SKILL.md': Buffer.from(skillText('name: latin-1', 'description: Prüft eine Tabelle Zeile für Zeile.'), 'latin1'),
    },
    { acceptedBySkillsRef: 'it decodes leniently and sees replacement characters' },
  ),
  refused('Upper-Case', 'The name has capitals.', ['name-invalid'], onlySkillMd('name: Upper-Case', description)),
  refused(
    'name-with-spaces',
    'The name is a title with spaces.',
    ['name-invalid'],
    onlySkillMd('name: Table Check Helper', description),
  ),
  refused(
    tooLongName,
    'The name has 65 characters.',
    ['name-invalid'],
    onlySkillMd(`name: ${tooLongName}`, description),
  ),
  refused(
    '123',
    'The name is made of digits without quotes, so YAML reads a number.',
    ['name-invalid', 'frontmatter-ambiguous-scalar'],
    onlySkillMd('name: 123', description),
    { acceptedBySkillsRef: 'it turns the number into text before it looks at it' },
  ),
  refused('навык', 'The name has letters beyond a to z.', ['name-invalid'], onlySkillMd('name: навык', description), {
    acceptedBySkillsRef: 'it allows letters of several scripts; the wire allows a to z',
  }),
  refused('missing-name', 'There is no name.', ['name-missing'], onlySkillMd(description)),
  refused(
    'missing-description',
    'There is no description.',
    ['description-missing'],
    onlySkillMd('name: missing-description'),
  ),
  refused(
    'empty-description',
    'The description is an empty text.',
    ['description-invalid'],
    onlySkillMd('name: empty-description', 'description: ""'),
  ),
  refused(
    'long-description',
    'The description has more than 1,024 characters.',
    ['description-invalid'],
    onlySkillMd('name: long-description', `description: ${tooLongText}`),
  ),
];
