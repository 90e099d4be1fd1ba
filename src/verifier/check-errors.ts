/** Checks that a server rejects requests for missing things with the error codes of the specification. */
import { limits } from '../limits.ts';
import { skillFileName } from '../skill/entry.ts';
import { RpcError, type Wire } from '../sources/mcp-server/wire.ts';
import type { FailureList } from './failures.ts';
import { judge, rpcCodes } from './judge.ts';

const { invalidParams, resourceNotFound } = rpcCodes;

export interface CheckErrorsOptions {
  readonly wire: Wire;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly directoryRead: boolean;
  /** `false` if there is no listing, so no cursor can be tested. */
  readonly listing: boolean;
  /** URIs of files of a served skill: its SKILL.md first. */
  readonly served: readonly string[];
}

interface Question {
  readonly requirement: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The requested thing, as a phrase. */
  readonly about: string;
  readonly codes: readonly number[];
}

const unknownSkillMd = 'skill://no-such-skill-of-any-server/SKILL.md';

/** Requests things that do not exist. Returns a reason if some requests got no answer. */
export async function checkErrors(options: CheckErrorsOptions, failures: FailureList): Promise<string | undefined> {
  const unanswered = new Map<string, string>();
  for (const question of questions(options)) {
    const { requirement, method, about, codes } = question;
    if (unanswered.has(method)) continue;
    const found = await answerTo(question, options);
    if (found === undefined) continue;
    if (found.kind === 'unknown') {
      unanswered.set(method, `${method} of ${about}: ${found.message}`);
      continue;
    }
    const message = `${method} of ${about} is answered with ${found.message} instead of the error ${codes.join(' or ')}`;
    failures.add({ requirement, message });
  }
  return unanswered.size === 0 ? undefined : [...unanswered.values()].join('; ');
}

function questions({ wire, served, directoryRead, listing }: CheckErrorsOptions): readonly Question[] {
  const [skillMd, other] = served;
  const get = (uri: string, about: string): Question => ({
    requirement: 'S-43',
    method: 'skills/get',
    params: { uri },
    about,
    codes: [invalidParams],
  });
  const directory = (uri: string, about: string): Question => ({
    requirement: 'S-49',
    method: 'resources/directory/read',
    params: { uri },
    about,
    codes: [invalidParams],
  });
  return [
    get(unknownSkillMd, 'an unknown skill'),
    ...(skillMd === undefined ? [] : [get(skillMd.slice(0, -skillFileName.length - 1), 'the folder of a skill')]),
    ...(other === undefined ? [] : [get(other, 'a file that is not a SKILL.md')]),
    {
      requirement: 'S-55',
      method: 'resources/read',
      params: { uri: unknownSkillMd },
      about: 'an unknown file',
      codes: wire.era === 'modern' ? [invalidParams] : [invalidParams, resourceNotFound],
    },
    ...(listing
      ? [
          {
            requirement: 'base:cursor',
            method: 'skills/list',
            params: { cursor: 'not-a-cursor-of-any-server' },
            about: 'a cursor that the server did not make',
            codes: [invalidParams],
          },
        ]
      : []),
    ...(directoryRead
      ? [
          directory(unknownSkillMd.slice(0, -skillFileName.length - 1), 'an unknown directory'),
          ...(skillMd === undefined ? [] : [directory(skillMd, 'a file')]),
        ]
      : []),
  ];
}

/** The answer, if it is not one of the expected error codes. */
async function answerTo(
  { requirement, method, params, codes }: Question,
  { wire, deadlineMs, signal }: CheckErrorsOptions,
): Promise<{ readonly kind: 'broken' | 'unknown'; readonly message: string } | undefined> {
  try {
    await wire.request(method, params, { deadlineMs, signal, maxBytes: limits.origin.pageBytes });
    return { kind: 'broken', message: 'a result' };
  } catch (error) {
    if (error instanceof RpcError)
      return codes.includes(error.code) ? undefined : { kind: 'broken', message: `the error ${error.code}` };
    const { kind, message } = judge(error, { requirement });
    return { kind, message: kind === 'broken' ? `something else (${message})` : message };
  }
}
