import { describe, expect, test } from 'vitest';
import { f1 } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { decodePromptAnswer, decodePromptRequest, encodePromptAnswer, encodeSkillPrompts } from './skill-prompts.ts';

describe('prompts of skills', () => {
  verifies(['skilljack:prompts'], 'are one with the name as argument, and one per skill', () => {
    const prompts = encodeSkillPrompts([
      { name: 'a', description: 'A' },
      { name: 'skill', description: 'Called like the prompt' },
    ]);
    expect(prompts.map(({ name }) => name)).toEqual(['skill', 'a']);
    expect(prompts[0]?.arguments).toMatchObject([{ name: 'name', required: true }]);
    expect(decodePromptRequest('a', undefined)).toBe('a');
    expect(decodePromptRequest('skill', { name: 'b' })).toBe('b');
    expect(decodePromptRequest('skill', {})).toBeUndefined();
    expect(decodePromptRequest('skill', { name: '' })).toBeUndefined();
  });

  verifies(['skilljack:prompts'], 'the message is the SKILL.md as a resource for the assistant', () => {
    const answer = encodePromptAnswer('git-workflow', f1.text, 'd');
    expect(answer).toMatchObject({
      description: 'd',
      messages: [
        {
          content: {
            type: 'resource',
            resource: { uri: 'skill://git-workflow', mimeType: 'text/markdown', text: f1.text },
            annotations: { audience: ['assistant'], priority: 1 },
          },
        },
      ],
    });
    expect(decodePromptAnswer(answer)).toEqual({ text: f1.text, uri: 'skill://git-workflow' });
  });

  test('a plain text is read if there is no resource', () => {
    const messages = [
      { role: 'user' },
      { content: { type: 'text', text: 'a' } },
      { content: { type: 'text', text: 'b' } },
    ];
    expect(decodePromptAnswer({ messages })).toEqual({ text: 'a' });
  });

  test.each<unknown>([null, {}, { messages: [] }, { messages: [{ content: { type: 'image' } }] }])(
    '%j is refused',
    (result) => {
      expect(() => decodePromptAnswer(result)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
    },
  );
});
