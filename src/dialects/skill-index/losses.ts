/**
 * What the forms of `skill://index.json` cannot carry. The document that we write has all of them in each entry, so a
 * reader of form C loses nothing, one of form B and one of form A what stands here.
 */
import type { Loss } from '../losses.ts';
import type { IndexForm } from './entry-form.ts';

export const skillIndexLosses: Readonly<Record<IndexForm, readonly Loss[]>> = {
  A: [
    { part: 'frontmatter', why: 'an entry has a name and a description only' },
    { part: 'files', why: 'an entry names its SKILL.md or an archive, not its files' },
    { part: 'file-digests', why: 'the one digest is that of SKILL.md or of an archive' },
    { part: 'sizes', why: 'no form before the final extension has sizes' },
    { part: 'dynamic', why: 'an entry without digest may be an old one as well' },
  ],
  B: [
    { part: 'files', why: 'an entry names its SKILL.md or archives, not its files' },
    { part: 'file-digests', why: 'the one digest is that of SKILL.md or of an archive' },
    { part: 'sizes', why: 'no form before the final extension has sizes' },
    {
      part: 'dynamic',
      why: 'an entry without digest is read by some clients as one without promise, by some not at all',
    },
  ],
  C: [],
};
