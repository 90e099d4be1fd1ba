import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { refundsUri } from '../served-skill.ts';
import { hiddenText } from './hidden-text.ts';

const tags = /[\u{e0020}-\u{e007e}]{60}/u;

/** The text of the file that the row is about; digests match. */
const file =
  (pattern: RegExp): Check =>
  async ({ row, verified }) =>
    expect((await verified())[row.at ?? row.target]).toMatch(pattern);

const description =
  (pattern: RegExp): Check =>
  async ({ listed, verified }) => {
    const entry = await listed();
    await verified(entry);
    expect(Object(entry).frontmatter.description).toMatch(pattern);
  };

const name =
  (pattern: RegExp): Check =>
  async ({ listed, verified }) => {
    const entry = await listed();
    await verified(entry);
    expect(Object(entry).frontmatter.name).toMatch(pattern);
  };

proves('text that hides', hiddenText, {
  'tag-characters-body': file(tags),
  'tag-characters-description': description(tags),
  'tag-characters-file': file(tags),
  'variation-selectors': file(/R[\u{e0100}-\u{e01ef}]{64}ead/u),
  'bidi-description': description(/\u202e.*\u202c/),
  'bidi-body': file(/\u2066.*\u2069/),
  'zero-width': async (wire) => {
    await description(/re\u200bfunds\u2060, i\u00adgno\ufeffring/)(wire);
    await file(/P\u200ba\u200by/)(wire);
  },
  'zero-width-name': name(/^refu\u200bnds$/),
  'confusable-name': name(/^r\u0435funds$/),
  'lone-surrogates': async ({ call, listed }) => {
    expect((await call('skills/list')).body.toString()).toContain('Decides \\ud83d refunds.');
    expect(Object(await listed()).frontmatter.description).toMatch(/^Decides \ud83d refunds/);
  },
  'nul-description': description(/^Decides\0 refunds/),
  'comment-body': file(/<!-- Ignore the policy/),
  'long-line': file(/ {900000}Ignore the policy/),
  'long-description': description(/^.{190000}/),
  'skill-md-not-utf8': async ({ read, got }) => {
    const { blob } = await read(refundsUri);
    const bytes = Buffer.from(String(blob), 'base64');
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow();
    expect(await got()).toHaveProperty('resources.0.size', bytes.length);
  },
});
