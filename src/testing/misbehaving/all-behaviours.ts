/** All behaviors, in the order of the public table. */
import { askedPowers } from './behaviours/asked-powers.ts';
import { byteLies } from './behaviours/byte-lies.ts';
import { childProcesses } from './behaviours/child-processes.ts';
import { contents } from './behaviours/contents.ts';
import { corpus } from './behaviours/corpus.ts';
import { declarations } from './behaviours/declarations.ts';
import { directories } from './behaviours/directories.ts';
import { dynamicSkills } from './behaviours/dynamic-skills.ts';
import { entryFaults } from './behaviours/entry-faults.ts';
import { entrySizes } from './behaviours/entry-sizes.ts';
import { fileNames } from './behaviours/file-names.ts';
import { frontmatterLies } from './behaviours/frontmatter-lies.ts';
import { hiddenText } from './behaviours/hidden-text.ts';
import { httpAnswers } from './behaviours/http-answers.ts';
import { listings } from './behaviours/listings.ts';
import { oddMessages } from './behaviours/odd-messages.ts';
import { rotations } from './behaviours/rotations.ts';
import { slowAnswers } from './behaviours/slow-answers.ts';
import { terminalEscapes } from './behaviours/terminal-escapes.ts';
import { wrapperEscapes } from './behaviours/wrapper-escapes.ts';
import type { Behaviour } from './misbehaviour.ts';

export const allBehaviours: readonly Behaviour[] = [
  ...rotations,
  ...byteLies,
  ...frontmatterLies,
  ...contents,
  ...dynamicSkills,
  ...entryFaults,
  ...entrySizes,
  ...fileNames,
  ...listings,
  ...declarations,
  ...directories,
  ...slowAnswers,
  ...httpAnswers,
  ...oddMessages,
  ...childProcesses,
  ...hiddenText,
  ...terminalEscapes,
  ...wrapperEscapes,
  ...askedPowers,
  ...corpus,
];
