/**
 * Rules of the forms that came before the final extension, in our words: `survey:` the survey of skill URIs, `index:`
 * the drafts of SEP-2640 with skill://index.json, the others by the program that has them. `discovery:` is the order in
 * which a reader asks.
 */
import type { Requirement } from './requirement.ts';

export const dialectForms: readonly Requirement[] = [
  {
    id: 'survey:path-is-locator',
    strength: 'defines',
    text: 'The path of a skill says where it is; its name stands in the frontmatter and may differ.',
  },
  { id: 'survey:nimblebrain-usage', strength: 'defines', text: 'skill://{server}/usage, named in the instructions.' },
  {
    id: 'survey:skilljack-uris',
    strength: 'defines',
    text: 'skill://name is SKILL.md, skill://name/ a collection, skill://name/path a file.',
  },
  { id: 'survey:skilljack-collection', strength: 'defines', text: 'A collection has all files but SKILL.md.' },
  {
    id: 'survey:groves-uris',
    strength: 'defines',
    text: 'skill://index, prompt-xml, name, name/documents, name/document/path and lookup/name.',
  },
  {
    id: 'survey:fastmcp-files',
    strength: 'defines',
    text: 'Every file of a skill has a URI with its path; _manifest lies beside them.',
  },
  { id: 'survey:sep2076-list', strength: 'defines', text: 'skills/list gives name, description and tags.' },
  {
    id: 'survey:templates',
    strength: 'MAY',
    text: 'Templates of skill URIs let a person pick, with values from completion.',
  },
  { id: 'index:form', strength: 'defines', text: 'The form is decided for each entry; a bad one hides no other.' },
  { id: 'index:any-schema', strength: 'defines', text: 'No $schema is a reason to refuse an index.' },
  { id: 'index:no-proof', strength: 'MUST NOT', text: 'A missing or empty index counts as proof of no skills.' },
  { id: 'index:unknown-type', strength: 'SHOULD', text: 'An entry of an unknown type is passed over.' },
  { id: 'index:a-fields', strength: 'MUST', text: 'Form A: name, type, description and url.' },
  {
    id: 'index:a-digest',
    strength: 'MUST',
    text: 'Form A from 2026-06-03: a digest; one that cannot be read refuses.',
  },
  { id: 'index:a-archive', strength: 'defines', text: 'Form A: an archive is the skill at its URL without suffix.' },
  { id: 'index:a-template', strength: 'defines', text: 'Form A: a template is in url, in one draft in urlTemplate.' },
  { id: 'index:b-frontmatter', strength: 'MUST', text: 'Form B: the frontmatter, verbatim.' },
  { id: 'index:b-forms', strength: 'MUST', text: 'Form B: a url, archives, or both.' },
  { id: 'index:b-digest', strength: 'MUST', text: 'Form B: a digest with the url; one that cannot be read is no url.' },
  { id: 'index:b-archives', strength: 'MUST', text: 'Form B: an archive has url, media type and digest.' },
  { id: 'index:c-manifest', strength: 'defines', text: 'Form C: a manifest without sizes; none means dynamic.' },
  {
    id: 'index:both-entries',
    strength: 'MUST',
    text: 'Entries of one name and path are one skill, unless they promise different bytes.',
  },
  {
    id: 'list:skill-md',
    strength: 'defines',
    text: 'A listed URI that ends with /SKILL.md in a folder may be a skill.',
  },
  { id: 'list:scoped', strength: 'defines', text: 'resources/list with the uri skill:// is scanned like any other.' },
  { id: 'list:mcpc-names', strength: 'defines', text: 'A name, a path or a URI of a folder stands for its SKILL.md.' },
  { id: 'fastmcp:manifest', strength: 'defines', text: 'The manifest lists path, size and hash of every file.' },
  { id: 'fastmcp:manifest-rows', strength: 'defines', text: 'A bad row is refused alone, and then less is verified.' },
  { id: 'fastmcp:line-ends', strength: 'defines', text: 'Changed line ends are told apart from changed bytes.' },
  { id: 'fastmcp:client-name', strength: 'defines', text: 'The client takes all before /SKILL.md for the name.' },
  { id: 'skilljack:collection', strength: 'defines', text: 'A content of a collection is a file of that skill.' },
  { id: 'skilljack:tools', strength: 'defines', text: 'Tools skill and skill-resource; an unknown name is isError.' },
  { id: 'skilljack:prompts', strength: 'defines', text: 'Prompts with the SKILL.md as an embedded resource.' },
  { id: 'skilljack:completion', strength: 'defines', text: 'Completion by prefix, whatever the case.' },
  { id: 'som:index', strength: 'defines', text: 'skill://index is a list of name, description, uri and documents.' },
  { id: 'som:prompt-xml', strength: 'defines', text: 'skill://prompt-xml is available_skills, escaped.' },
  {
    id: 'som:documents',
    strength: 'defines',
    text: 'Documents are files beside SKILL.md, with path, type, size, uri.',
  },
  {
    id: 'nimblebrain:usage',
    strength: 'defines',
    text: 'A text below skill:// that no other dialect knows may be one.',
  },
  { id: 'nimblebrain:opt-in', strength: 'MUST NOT', text: 'Such texts are read before a person has allowed it.' },
  { id: 'sep2076:list', strength: 'defines', text: 'skills/list gives rows by name.' },
  { id: 'sep2076:get', strength: 'defines', text: 'skills/get by name gives instructions and files.' },
  { id: 'template:row', strength: 'defines', text: 'Templates that lead to skills are told from all others.' },
  { id: 'template:match', strength: 'defines', text: 'A URI is matched with a template in one way or not at all.' },
  {
    id: 'discovery:order',
    strength: 'defines',
    text: 'Extension, index, names, list, templates, instructions, scoped list.',
  },
  { id: 'discovery:no-downgrade', strength: 'MUST NOT', text: 'A listing that fails leads to less verification.' },
  {
    id: 'discovery:instructions',
    strength: 'MAY',
    text: 'Skill URIs in the instructions are followed, links are not.',
  },
];
