/** All behaviors, in the order of the public table. */

import { byteLies } from './behaviors/byte-lies.ts';
import { childProcesses } from './behaviors/child-processes.ts';
import { contents } from './behaviors/contents.ts';
import { corpus } from './behaviors/corpus.ts';
import { declarations } from './behaviors/declarations.ts';
import { directories } from './behaviors/directories.ts';
import { dynamicSkills } from './behaviors/dynamic-skills.ts';
import { entryFaults } from './behaviors/entry-faults.ts';
import { entrySizes } from './behaviors/entry-sizes.ts';
import { fileNames } from './behaviors/file-names.ts';
import { frontmatterLies } from './behaviors/frontmatter-lies.ts';
import { hiddenText } from './behaviors/hidden-text.ts';
import { httpAnswers } from './behaviors/http-answers.ts';
import { listings } from './behaviors/listings.ts';
import { requestedPowers } from './behaviors/requested-powers.ts';
import { rotations } from './behaviors/rotations.ts';
import { slowAnswers } from './behaviors/slow-answers.ts';
import { terminalEscapes } from './behaviors/terminal-escapes.ts';
import { unusualMessages } from './behaviors/unusual-messages.ts';
import { wrapperEscapes } from './behaviors/wrapper-escapes.ts';
import type { Behavior } from './misbehavior.ts';

export const allBehaviors: readonly Behavior[] = [
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
  ...unusualMessages,
  ...childProcesses,
  ...hiddenText,
  ...terminalEscapes,
  ...wrapperEscapes,
  ...requestedPowers,
  ...corpus,
];
