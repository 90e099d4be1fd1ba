import { describe, expect, test } from 'vitest';
import { SkillwireError, VerificationError } from '../../errors.ts';
import { renderError } from './error.ts';

describe('renderError()', () => {
  test('returns the message and the exit code of the table', () => {
    const error = new SkillwireError('ORIGIN_NOT_FOUND', 'no such folder');
    expect(renderError(error, { json: false, debug: false })).toEqual({
      text: 'skillwire: no such folder\n',
      exitCode: 2,
    });
    expect(renderError(new VerificationError('digest', 'x'), { json: false, debug: false }).exitCode).toBe(7);
  });

  test('escapes characters that act on a terminal, and keeps line breaks', () => {
    const { text } = renderError(new SkillwireError('USAGE', 'a\x1b[2Jb\n\u202ec'), { json: false, debug: false });
    expect(text).toBe('skillwire: a\\u{1b}[2Jb\n\\u{202e}c\n');
  });

  test('is one line of JSON with code, message and data if asked for', () => {
    const error = new SkillwireError('USAGE', 'a\u202eb', { data: { option: '--x' } });
    const { text } = renderError(error, { json: true, debug: false });
    expect(text).toBe('{"error":{"code":"USAGE","message":"a\\u202eb","data":{"option":"--x"}}}\n');
  });

  test('advises on failures of the system that can strike anywhere', () => {
    const error = Object.assign(new Error('EMFILE: too many open files, open "x"'), { code: 'EMFILE' });
    expect(renderError(error, { json: false, debug: false })).toEqual({
      text: expect.stringMatching(
        /^skillwire: this process has too many files open; raise the limit.*\(EMFILE: .*\)\n/,
      ),
      exitCode: 2,
    });
  });

  test('shows the stack of an unexpected error only for debugging', () => {
    const error = new TypeError('boom');
    expect(renderError(error, { json: false, debug: false })).toEqual({
      text: 'skillwire: boom\nSet SKILLWIRE_DEBUG=1 to see the stack.\n',
      exitCode: 2,
    });
    expect(renderError(error, { json: false, debug: true }).text).toContain('error.test.ts');
    expect(JSON.parse(renderError(error, { json: true, debug: false }).text)).toEqual({
      error: { code: 'UNEXPECTED', message: 'boom', data: {} },
    });
    expect(JSON.parse(renderError(error, { json: true, debug: true }).text).error.data.stack).toContain(
      'error.test.ts',
    );
    expect(renderError('text', { json: false, debug: true }).text).toBe('skillwire: text\n');
  });
});
