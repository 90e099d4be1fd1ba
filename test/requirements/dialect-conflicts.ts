/**
 * Contradictions between dialects, and our decisions, in our words. Missing numbers belong to code that does not exist yet, or to
 * sites.
 */
import type { Requirement } from './requirement.ts';

export const dialectConflicts: readonly Requirement[] = [
  { id: 'C-1', strength: 'defines', text: 'One entry of skill://index.json is right in all of its forms, or refused.' },
  { id: 'C-2', strength: 'defines', text: 'Entries of archives are off by default and never have a frontmatter.' },
  { id: 'C-3', strength: 'defines', text: 'Entries of templates have no frontmatter and are no skills.' },
  { id: 'C-4', strength: 'defines', text: 'The digest of SKILL.md always stands in the index where there is one.' },
  { id: 'C-5', strength: 'defines', text: 'The archive of a skill is at its path with a suffix.' },
  { id: 'C-6', strength: 'defines', text: 'The index lists nested skills as flat entries.' },
  {
    id: 'C-7',
    strength: 'defines',
    text: 'resources/read of skill://name is SKILL.md, resources/directory/read of it its children; it is not listed.',
  },
  {
    id: 'C-8',
    strength: 'defines',
    text: 'With a trailing slash a read is a collection, a directory read is the same.',
  },
  {
    id: 'C-9',
    strength: 'defines',
    text: 'A real file goes before _manifest, documents and document/x, which no manifest and no directory has.',
  },
  { id: 'C-10', strength: 'defines', text: 'A skill at index, prompt-xml or lookup goes before what they mean else.' },
  {
    id: 'C-11',
    strength: 'defines',
    text: 'skills/get with a uri is the extension; with a name alone it is SEP-2076, where that is switched on.',
  },
  {
    id: 'C-12',
    strength: 'defines',
    text: 'What is not there is -32002 in resources/read of older revisions, -32602 elsewhere.',
  },
  { id: 'C-13', strength: 'defines', text: 'resultType, ttlMs and cacheScope are sent from 2026-07-28 on only.' },
  { id: 'C-14', strength: 'defines', text: 'Whatever a row is named, the name of a skill is found.' },
  { id: 'C-15', strength: 'defines', text: 'Where the extension is declared and answers, no URI makes a skill.' },
  { id: 'C-18', strength: 'defines', text: 'Where a skill lies and what it is called are kept apart.' },
  { id: 'C-19', strength: 'defines', text: 'Files are told as path, digest and size, whatever the wire calls them.' },
  {
    id: 'C-23',
    strength: 'defines',
    text: 'What is listed is a setting of the server and the same for every client: skills and the index by default.',
  },
  { id: 'C-24', strength: 'defines', text: 'An error that was sent as content is not a skill.' },
  {
    id: 'C-25',
    strength: 'defines',
    text: 'Without paths, the first skill of a name has it, others an alias or none.',
  },
];
