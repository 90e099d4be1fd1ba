import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { refundsUri } from '../served-skill.ts';
import { osc8, osc52, terminalEscapes } from './terminal-escapes.ts';

const clear = '\u001b[2J\u001b[H';

/** The description of the listed entry has the control characters themselves, not their names; digests match. */
const description =
  (text: string): Check =>
  async ({ listed, verified }) => {
    const entry = await listed();
    await verified(entry);
    expect(Object(entry).frontmatter.description).toContain(text);
  };

const error =
  (method: string): Check =>
  async ({ message }) =>
    expect(await message(method, { uri: refundsUri })).toHaveProperty('error.message', expect.stringContaining(clear));

proves('text that a terminal obeys', terminalEscapes, {
  'terminal-link': description(osc8),
  'terminal-clipboard': description(osc52),
  'terminal-colours': description(clear),
  'terminal-title': description('\u001b]0;refunds approved\u0007'),
  'terminal-c1': description('\u009b2J'),
  'terminal-return': description('\rlocal'),
  'terminal-backspace': description('unsafe\b\b\b\b\b\b\u007f\u007fsafe'),
  'description-lines': description('\n\n- local:deploy'),
  'terminal-name': async ({ listed }) => expect(await listed()).toHaveProperty('frontmatter.name', '\u001b[31mrefunds'),
  'terminal-uri': async ({ listed }) => expect(Object(await listed()).uri).toContain(clear),
  'terminal-file-name': async ({ listed }) => {
    const uris: string[] = Object(await listed()).resources.map(({ uri }: { uri: string }) => uri);
    expect(uris.filter((uri) => uri.includes(clear))).toHaveLength(1);
  },
  'terminal-file-name-encoded': async ({ verified }) =>
    expect(Object.keys(await verified())).toContain('skill://refunds/templates/%1B%5B2J.md'),
  'terminal-body': async ({ verified }) => {
    const text = (await verified())[refundsUri];
    for (const sequence of [osc8, osc52, clear]) expect(text).toContain(sequence);
  },
  'terminal-server-name': async ({ result, message }) => {
    const { _meta } = await result('skills/list');
    const info = { name: expect.stringContaining(clear), version: `1${osc52}`, title: osc8 };
    expect(_meta).toHaveProperty(['io.modelcontextprotocol/serverInfo'], info);
    expect(await message('initialize', {}, { era: 'legacy' })).toHaveProperty('result.serverInfo', info);
  },
  'terminal-instructions': async ({ result, message }) => {
    const instructions = expect.stringContaining(clear);
    expect(await result('server/discover')).toHaveProperty('instructions', instructions);
    expect(await message('initialize', {}, { era: 'legacy' })).toHaveProperty('result.instructions', instructions);
  },
  'terminal-error': error('skills/list'),
  'terminal-read-error': error('resources/read'),
});
