/** Reads answers to `skills/list` and `skills/get` (SEP-2640). One bad entry never hides the others. */
import { quoteText, shortText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import {
  badAnswer,
  type CacheFields,
  completeResult,
  decodeCacheFields,
  decodeNextCursor,
  type NextCursor,
} from './answer-fields.ts';
import { type DecodedSkill, decodeEntry, type RefusedSkill } from './decode-entry.ts';
import { type AnswerRules, type Remark, remark } from './remark.ts';

export interface ListPage extends CacheFields, NextCursor {
  readonly skills: readonly DecodedSkill[];
  readonly refused: readonly RefusedSkill[];
  readonly remarks: readonly Remark[];
}

export interface DecodedGetAnswer extends CacheFields {
  readonly skill: DecodedSkill;
  readonly remarks: readonly Remark[];
}

/**
 * Reads one page of `skills/list`.
 *
 * @throws SkillwireError `BAD_ANSWER` if there is no list of skills
 */
export function decodeListPage(result: unknown, rules: AnswerRules): ListPage {
  const method = 'skills/list';
  const remarks: Remark[] = [];
  const answer = completeResult(method, result, rules, 'S-38', remarks);
  const entries = answer['skills'];
  if (!Array.isArray(entries)) throw badAnswer(method, 'it has no list "skills"');
  const cache = decodeCacheFields(method, answer, rules, 'S-39', remarks);
  const skills: DecodedSkill[] = [];
  const refused: RefusedSkill[] = [];
  for (const entry of entries) {
    const reading = decodeEntry(entry);
    if (reading.ok) {
      skills.push(reading.skill);
      for (const item of reading.remarks) remarks.push(item);
    } else refused.push(reading.refused);
  }
  return { skills, refused, ...cache, ...decodeNextCursor(answer), remarks };
}

/**
 * Reads the answer to `skills/get` for a URI.
 *
 * @throws SkillwireError `BAD_ANSWER` if the entry is unusable or belongs to another skill
 */
export function decodeGetResult(result: unknown, requestedUri: string, rules: AnswerRules): DecodedGetAnswer {
  const method = 'skills/get';
  const remarks: Remark[] = [];
  const answer = completeResult(method, result, rules, 'S-42', remarks);
  const cache = decodeCacheFields(method, answer, rules, 'S-46', remarks);
  if (answer['nextCursor'] !== undefined)
    remarks.push(remark('S-46', `the answer to "${method}" has a nextCursor`, requestedUri));
  const wire = answer['skill'];
  if (isJsonObject(wire) && typeof wire['uri'] === 'string' && wire['uri'] !== requestedUri)
    throw badAnswer(method, `${quoteText(requestedUri)} was requested, but ${quoteText(wire['uri'])} came back`, {
      uri: requestedUri,
      requirement: 'S-45',
    });
  const reading = decodeEntry(wire);
  if (!reading.ok) {
    const faults = reading.refused.faults.map(({ message }) => message);
    throw badAnswer(method, `the entry of ${quoteText(requestedUri)} is not valid: ${shortFaults(faults)}`, {
      uri: requestedUri,
      faults,
    });
  }
  return { skill: reading.skill, ...cache, remarks: [...remarks, ...reading.remarks] };
}

/** The first fault, and the number of faults. */
export function shortFaults(faults: readonly string[]): string {
  const [first = 'no reason'] = faults;
  return faults.length < 2 ? first : `${first} (and ${shortText(String(faults.length - 1))} more)`;
}
