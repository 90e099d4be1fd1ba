/** Errors of reading a file. */
import { SkillwireError } from '../errors.ts';

/** Of a file that is not served: the same words whatever the reason, so that they reveal nothing else. */
export function fileNotFound(uri: string): SkillwireError {
  return new SkillwireError('FILE_NOT_FOUND', `cannot read "${uri}": no served skill has this file`, { data: { uri } });
}

/** Of a file that was replaced during every attempt. */
export function unstable(uri: string): SkillwireError {
  return new SkillwireError('UNSTABLE', `cannot read "${uri}": it changes faster than it can be read; try again`, {
    data: { uri },
  });
}
