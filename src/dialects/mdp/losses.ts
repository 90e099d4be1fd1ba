/** What a skill loses when it travels as a Model Drive Protocol path, as data: the documentation and the tests take it from here. */

export interface DialectLoss {
  readonly id: string;
  /** What is lost, as one sentence. */
  readonly lost: string;
  readonly instead: string;
}

export const mdpLosses: readonly DialectLoss[] = [
  {
    id: 'mdp:supporting-files',
    lost: 'A path holds one text, so files beside SKILL.md do not travel.',
    instead: 'Read them over MCP or from the site.',
  },
  {
    id: 'mdp:frontmatter',
    lost: 'A descriptor has a path and a description; other fields of the frontmatter do not travel in it.',
    instead: 'The frontmatter is built from the descriptor; that of the text is taken off.',
  },
  {
    id: 'mdp:integrity',
    lost: 'No digest and no size: a text that never changes looks like one that is computed.',
    instead: 'Entries are dynamic, unless our own client declares digest and size in `_meta`.',
  },
  {
    id: 'mdp:names',
    lost: 'Segments may have underscores, a leading dot, a final hyphen and any length; names of skills may not.',
    instead: 'Names are mapped in a way that can be undone; the path is kept in the metadata.',
  },
  {
    id: 'mdp:leaf-spelling',
    lost: '`skill.md` and `SKILL.md` are two paths, and one name of a file.',
    instead: 'Where a runtime has both, the first is listed and the second is a finding.',
  },
  {
    id: 'mdp:arguments',
    lost: 'Queries and headers have no place in a read over MCP.',
    instead: 'The answer without arguments is the skill; `callPath` and the HTTP routes take arguments.',
  },
];
