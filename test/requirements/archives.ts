/** Reasons to refuse archives of skills, and promises of our own archives; rows of the security requirements. */
import type { Requirement } from './requirement.ts';

export const archiveRules: readonly Requirement[] = [
  {
    id: 'sec:A-1',
    strength: 'MUST',
    text: 'A path that leaves its folder, or is not in its plainest form, refuses the archive.',
  },
  {
    id: 'sec:A-2',
    strength: 'MUST',
    text: 'Backslashes, drives, shares and streams of Windows refuse the archive on every system.',
  },
  {
    id: 'sec:A-3',
    strength: 'MUST',
    text: 'Links are never created; only one to a regular file inside is taken, as a copy of it.',
  },
  { id: 'sec:A-4', strength: 'MUST', text: 'Entries that are neither file nor folder refuse the archive.' },
  { id: 'sec:A-5', strength: 'MUST', text: 'Modes are 0644 or 0755, whatever the archive says.' },
  { id: 'sec:A-6', strength: 'MUST', text: 'Names that some system takes for one refuse the archive.' },
  {
    id: 'sec:A-7',
    strength: 'MUST',
    text: 'Names that are not UTF-8, or not what they look like, refuse the archive.',
  },
  { id: 'sec:A-8', strength: 'MUST', text: 'Names that some system cannot create refuse the archive.' },
  { id: 'sec:A-9', strength: 'MUST', text: 'Extended headers are checked like those they replace.' },
  { id: 'sec:A-10', strength: 'MUST', text: 'What comes out is counted and bounded, over all members and copies.' },
  { id: 'sec:A-11', strength: 'MUST', text: 'A truncated, empty or damaged archive is refused.' },
  { id: 'sec:A-12', strength: 'MUST', text: 'What stands before or behind an archive refuses it.' },
  { id: 'sec:A-13', strength: 'MUST', text: 'Headers of a zip that contradict each other, or the content, refuse it.' },
  { id: 'sec:A-14', strength: 'MUST', text: 'SKILL.md is at the root of the archive of a skill.' },
  { id: 'sec:A-15', strength: 'MUST', text: 'An archive holds exactly the files that were promised with it.' },
  {
    id: 'sec:A-16',
    strength: 'MUST',
    text: 'The first bytes decide on the format; a name or type that says another refuses it.',
  },
  {
    id: 'sec:A-17',
    strength: 'MUST',
    text: 'A disk that fails while files are written leaves nothing behind and what was there untouched.',
  },
  { id: 'sec:A-18', strength: 'MUST', text: 'Our archives are the same bytes on every run and every system.' },
];
