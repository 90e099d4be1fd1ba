/**
 * Skills as prompts: `skill` with the name as argument, and one prompt per skill. The message embeds the `SKILL.md` as
 * a resource for the assistant.
 */
import { limits } from '../../limits.ts';
import { isJsonObject } from '../../skill/json.ts';
import { badAnswer } from '../skills-extension/answer-fields.ts';
import { buildSkilljackUri } from './skilljack-resources.ts';

export const skillPromptName = 'skill';

export interface SkillPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
}

export interface PromptAnswer {
  readonly description?: string;
  readonly messages: readonly [
    {
      readonly role: 'user';
      readonly content: {
        readonly type: 'resource';
        readonly resource: { readonly uri: string; readonly mimeType: 'text/markdown'; readonly text: string };
        readonly annotations: { readonly audience: readonly ['assistant']; readonly priority: 1 };
      };
    },
  ];
}

/** The prompts for these skills. A skill named `skill` is available only by the argument. */
export function encodeSkillPrompts(
  skills: readonly { readonly name: string; readonly description: string }[],
): readonly SkillPrompt[] {
  const byArgument: SkillPrompt = {
    name: skillPromptName,
    description: 'Load a skill by its name',
    arguments: [{ name: 'name', description: 'Name of the skill', required: true }],
  };
  const own = skills.filter(({ name }) => name !== skillPromptName);
  return [byArgument, ...own.map(({ name, description }) => ({ name, description }))];
}

/** The skill that a prompt names; `undefined` if its argument is missing. */
export function decodePromptRequest(prompt: string, args: unknown): string | undefined {
  if (prompt !== skillPromptName) return prompt;
  const name = isJsonObject(args) ? args['name'] : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

export function encodePromptAnswer(name: string, text: string, description?: string): PromptAnswer {
  return {
    ...(description === undefined ? {} : { description }),
    messages: [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: buildSkilljackUri({ kind: 'skill', name }), mimeType: 'text/markdown', text },
          annotations: { audience: ['assistant'], priority: 1 },
        },
      },
    ],
  };
}

/**
 * The text of a skill in the answer to `prompts/get`: its first embedded resource, or else its first plain text.
 *
 * @throws SkillwireError `BAD_ANSWER` if there is neither
 *
 * @internal the other half of the codec, for round trips
 */
export function decodePromptAnswer(result: unknown): { readonly text: string; readonly uri?: string } {
  const messages = isJsonObject(result) ? result['messages'] : undefined;
  if (!Array.isArray(messages)) throw badAnswer('prompts/get', 'it has no list "messages"');
  let plain: string | undefined;
  for (const message of messages.slice(0, limits.dialects.answerTexts)) {
    const content = isJsonObject(message) ? message['content'] : undefined;
    if (!isJsonObject(content)) continue;
    const { resource, text } = content;
    if (isJsonObject(resource) && typeof resource['text'] === 'string') {
      const { uri } = resource;
      return { text: resource['text'], ...(typeof uri === 'string' ? { uri } : {}) };
    }
    if (typeof text === 'string') plain ??= text;
  }
  if (plain === undefined) throw badAnswer('prompts/get', 'it has no text');
  return { text: plain };
}
