/** What is said of a file that is not served; the same words whatever the reason, so that they tell nothing else. */
import { SkillwireError } from '../errors.ts';

export function fileNotFound(uri: string): SkillwireError {
  return new SkillwireError('FILE_NOT_FOUND', `cannot read "${uri}": no served skill has this file`, { data: { uri } });
}
