#!/usr/bin/env node
// Compares a file of translated messages with its source: keys, placeholders, plural forms and tags. Reads two files,
// writes nothing.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const help = `Usage: check-messages.mjs [--help] SOURCE TRANSLATION

Compares two JSON files that map keys to messages (nested objects are allowed). Reports
  missing       a key of the source that the translation lacks
  unknown       a key that the source does not have
  empty         a message without text
  untranslated  a message that equals the source (more than one word)
  placeholder   a placeholder that is missing or was added
  plural        a plural or select without the branch "other"
  tag           a tag that is missing or was added
  syntax        braces that do not match

Exit codes: 0 nothing found, 1 findings, 2 a file cannot be read.`;

class InputError extends Error {}

function readMessages(path) {
  let data;
  try {
    data = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new InputError(`cannot read "${path}": ${error.message}`);
  }
  const messages = new Map();
  const visit = (value, key) => {
    if (typeof value === 'string') messages.set(key, value);
    else if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      for (const [name, child] of Object.entries(value)) visit(child, key === '' ? name : `${key}.${name}`);
    } else throw new InputError(`"${path}": "${key || 'the file'}" is not a text and not an object of texts`);
  };
  visit(data, '');
  if (messages.has('')) throw new InputError(`"${path}" holds one text, not an object of texts`);
  return messages;
}

// Reads the subset of ICU MessageFormat that interface texts use: {name}, {name, type}, {name, plural, case {text} ...}.
function readPattern(text) {
  const found = { placeholders: new Set(), withoutOther: [], error: undefined };
  let position = 0;

  const readText = (depth) => {
    while (position < text.length) {
      const sign = text[position];
      if (sign === "'" && /['{}]/.test(text[position + 1] ?? '')) skipQuoted();
      else if (sign === '{') readArgument(depth);
      else if (sign === '}') {
        if (depth === 0) throw new SyntaxError(`"}" without "{" at character ${position + 1}`);
        return;
      } else position++;
    }
    if (depth > 0) throw new SyntaxError('"{" is never closed');
  };

  const skipQuoted = () => {
    if (text[position + 1] === "'") position += 2;
    else {
      const end = text.indexOf("'", position + 1);
      position = end === -1 ? text.length : end + 1;
    }
  };

  const readArgument = (depth) => {
    const head = /^\{\s*([\w.-]+)\s*([,}])/.exec(text.slice(position));
    if (head === null) throw new SyntaxError(`"{" at character ${position + 1} does not begin a placeholder`);
    const [all, name, next] = head;
    found.placeholders.add(name);
    position += all.length;
    if (next === ',') readArgumentType(name, depth);
  };

  const readArgumentType = (name, depth) => {
    const choice = /^\s*(plural|selectordinal|select)\s*,/.exec(text.slice(position));
    if (choice === null) {
      const end = text.indexOf('}', position);
      if (end === -1) throw new SyntaxError('"{" is never closed');
      position = end + 1;
      return;
    }
    position += choice[0].length;
    const cases = [];
    for (;;) {
      const branch = /^\s*(?:offset:\d+\s*)?([\w=-]+)\s*\{/.exec(text.slice(position));
      if (branch === null) break;
      cases.push(branch[1]);
      position += branch[0].length;
      readText(depth + 1);
      position++;
    }
    const end = /^\s*\}/.exec(text.slice(position));
    if (end === null) throw new SyntaxError(`the choice of "${name}" is not closed`);
    position += end[0].length;
    if (!cases.includes('other')) found.withoutOther.push(name);
  };

  try {
    readText(0);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    found.error = error.message;
  }
  return found;
}

const tagsOf = (text) => (text.match(/<\/?[a-zA-Z][\w-]*/g) ?? []).map((tag) => `${tag}>`).sort();
const without = (all, others) => [...all].filter((one) => !others.has(one));
const quoted = (names) => names.map((name) => `"${name}"`).join(', ');

function* compare(source, translation) {
  const expected = readPattern(source);
  const actual = readPattern(translation);
  if (actual.error !== undefined) {
    yield ['syntax', actual.error];
    return;
  }
  const missing = without(expected.placeholders, actual.placeholders);
  const added = without(actual.placeholders, expected.placeholders);
  if (missing.length > 0) yield ['placeholder', `${quoted(missing)} is missing`];
  if (added.length > 0) yield ['placeholder', `${quoted(added)} is not in the source`];
  if (actual.withoutOther.length > 0) yield ['plural', `the choice of ${quoted(actual.withoutOther)} has no "other"`];
  const [tags, otherTags] = [tagsOf(source), tagsOf(translation)];
  if (tags.join() !== otherTags.join()) yield ['tag', `${otherTags.join(' ') || 'none'} instead of ${tags.join(' ') || 'none'}`];
}

function* check(source, translation) {
  for (const [key, text] of source) {
    const translated = translation.get(key);
    if (translated === undefined) yield [key, 'missing', `the source is "${text}"`];
    else if (translated.trim() === '' && text.trim() !== '') yield [key, 'empty', `the source is "${text}"`];
    else {
      if (translated === text && /\p{L}\s+\p{L}/u.test(text)) yield [key, 'untranslated', `"${text}"`];
      for (const [kind, message] of compare(text, translated)) yield [key, kind, message];
    }
  }
  for (const key of translation.keys()) if (!source.has(key)) yield [key, 'unknown', 'the source does not have this key'];
}

function main(args) {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(help);
    return 0;
  }
  try {
    const option = args.find((arg) => arg.startsWith('-'));
    if (option !== undefined) throw new InputError(`unknown option "${option}"; see --help`);
    if (args.length !== 2) throw new InputError(`expected two files, got ${args.length}; see --help`);
    const [source, translation] = args.map(readMessages);
    const findings = [...check(source, translation)];
    for (const [key, kind, message] of findings) console.log(`${key}: ${kind}: ${message}`);
    console.log(`${basename(args[1])}: ${source.size} source messages, ${findings.length} findings`);
    return findings.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    console.error(`check-messages.mjs: ${error.message}`);
    return 2;
  }
}

process.exitCode = main(process.argv.slice(2));
