// Skills with the shapes of public repositories (shapes.json). Only shapes are drawn; every text is made of the words below.
import { createDraw, shapes } from './draw.mjs';

/** @typedef {import('./draw.mjs').Draw} Draw @typedef {import('./draw.mjs').Population} Population */

const words =
  `report quarter review deploy test data model agent file query index table schema token cache service request answer error log
trace build release branch commit merge issue ticket note page image chart color layout font style export import convert parse
validate check fix plan draft summary outline translate customer order invoice payment contract policy team meeting calendar
when the user asks for this skill use it with and then before after each every only never always first last new old large small
fast safe clear short long plain simple common local remote public private API SQL JSON CSV PDF HTML Python TypeScript Docker`.split(
    /\s+/,
  );
const marks = ['\u2014', '\u2019s', '\u2192', '\u2026', '\u00e9tude', 'caf\u00e9', '\u201cso\u201d', '\u2713'];
const cjk =
  '\u6570\u636e\u5206\u6790\u62a5\u544a\u7528\u6237\u9700\u8981\u65f6\u4f7f\u7528\u6b64\u6280\u80fd\u751f\u6210\u6587\u6863\u68c0\u67e5\u4ee3\u7801\u90e8\u7f72\u670d\u52a1\u5668\u914d\u7f6e\u8868\u683c\u56fe\u7247\u7ffb\u8bd1';

/** @typedef {'ascii' | 'marks' | 'cjk'} Script */

/** @param {Draw} draw @param {number} characters @param {Script} script */
function phrase(draw, characters, script) {
  let text = '';
  while (text.length < characters) {
    const word = draw.one(words);
    if (script === 'cjk')
      text += draw.chance(0.1) ? ` ${word} ` : draw.one([...cjk]) + (draw.chance(0.06) ? '\uff0c' : '');
    else {
      const next = script === 'marks' && draw.chance(0.04) ? draw.one(marks) : word;
      text += `${text === '' ? '' : draw.chance(0.08) ? ', ' : draw.chance(0.05) ? '. ' : ' '}${next}`;
    }
  }
  const cut = text.slice(0, Math.max(1, characters)).trim();
  return `${cut.charAt(0).toUpperCase()}${cut.slice(1)}`.replace(/[\s,.]+$/, '') || 'Use it';
}

/** One long text per script. Bodies and files are slices of it, because generating each would take minutes. */
const fillers = {
  ascii: filler(1, 'ascii', 0),
  marks: filler(2, 'marks', 0),
  cjk: filler(3, 'cjk', 0),
  emoji: filler(4, 'marks', 0.02),
  binary: Buffer.from(Uint8Array.from({ length: 1 << 20 }, (_, at) => Math.imul(at, 2654435761) >>> 24)),
};

/** @param {number} seed @param {Script} script @param {number} emoji */
function filler(seed, script, emoji) {
  const draw = createDraw(seed, 7);
  let text = '';
  while (text.length < 1 << 20) {
    const kind = draw.next();
    const mark = draw.chance(emoji) ? '\u26a0\ufe0f ' : '';
    if (kind < 0.1) text += `\n${'#'.repeat(draw.whole(2, 4))} ${phrase(draw, draw.whole(8, 40), script)}\n\n`;
    else if (kind < 0.15) text += `\`\`\`sh\n${draw.one(words)} --${draw.one(words)} "$${draw.one(words)}"\n\`\`\`\n`;
    else text += `${kind < 0.5 ? '- ' : ''}${mark}${phrase(draw, draw.whole(20, 110), script)}.\n`;
  }
  return Buffer.from(text);
}

/** `size` bytes of a filler from the start of a random line; never ends inside a character. @param {Draw} draw @param {Buffer} from @param {number} size */
function slice(draw, from, size) {
  const parts = [];
  for (let left = size; left > 0; ) {
    const start = from === fillers.binary ? draw.whole(0, 1 << 16) : from.indexOf(0x0a, draw.whole(0, 1 << 19)) + 1;
    let end = Math.min(from.length, start + left);
    if (from !== fillers.binary) while (end > start && /** @type {number} */ (from[end] & 0xc0) === 0x80) end--;
    if (end === start) break;
    parts.push(from.subarray(start, end));
    left -= end - start;
  }
  return Buffer.concat(parts);
}

/** @param {string} text */
const quoted = (text) => JSON.stringify(text);

/** @param {string} text @param {number} width */
function wrapped(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    if ((lines.at(-1) ?? '').length + word.length > width) lines.push('');
    const last = lines.pop() ?? '';
    lines.push(last === '' ? word : `${last} ${word}`);
  }
  return lines;
}

/** Keys whose nested value is a mapping; all others are lists. */
const mappings = new Set(['metadata', 'requires', 'hooks', 'permissions', 'env', 'library', 'requirements']);

/** @param {Draw} draw */
function nestedMapping(draw) {
  const lines = [`  author: ${draw.one(words)}`, `  version: ${draw.chance(0.7) ? '"1.0"' : '1.2.0'}`];
  if (draw.chance(0.3)) lines.push(`  category: ${phrase(draw, 12, 'ascii')}`);
  if (draw.chance(0.2)) lines.push(`  tags: [${draw.one(words)}, ${draw.one(words)}]`);
  if (draw.chance(0.1)) lines.push('  openclaw:', '    requires:', `      bins: [${draw.one(words)}]`);
  return lines;
}

/** @param {Draw} draw */
function nestedList(draw) {
  return Array.from({ length: draw.whole(1, 8) }, () => {
    const text = phrase(draw, draw.whole(4, 40), 'ascii');
    return `  - ${draw.chance(0.4) ? quoted(text) : text.replace(/[,.]/g, '')}`;
  });
}

/** The lines of one field. @param {Draw} draw @param {string} key @param {string} kind @param {string} text */
function field(draw, key, kind, text) {
  switch (kind) {
    case 'double-quoted':
      return [`${key}: ${quoted(draw.chance(0.3) ? `${text}: ${draw.one(words)} "${draw.one(words)}"` : text)}`];
    case 'single-quoted':
      return [`${key}: '${draw.chance(0.2) ? `${text} it''s` : text}'`];
    case 'block':
      return [
        `${key}: ${draw.one(['>', '>-', '|', '|-', '>', '>-'])}`,
        ...wrapped(text, 78).map((line) => `  ${line}`),
      ];
    case 'nested-or-null':
      return [`${key}:`, ...(mappings.has(key) ? nestedMapping(draw) : nestedList(draw))];
    case 'flow-list':
      return [`${key}: [${Array.from({ length: draw.whole(0, 5) }, () => draw.one(words)).join(', ')}]`];
    case 'flow-map':
      return [`${key}: {"${draw.one(words)}":{"emoji":"x","requires":{"bins":["${draw.one(words)}"]}}}`];
    case 'number':
      return [`${key}: ${draw.whole(1, 90_000)}`];
    case 'word':
      return [`${key}: ${draw.one(['true', 'false'])}`];
    case 'date':
      return [`${key}: 2026-0${draw.whole(1, 9)}-1${draw.whole(0, 9)}`];
    case 'anchor-or-tag':
      return [`${key}: **${draw.one(words)}** ${text}`];
    default:
      return [`${key}: ${text}`];
  }
}

/** @param {Draw} draw @param {Population} population @param {string} name @param {string | undefined} fault */
function frontmatter(draw, population, name, fault) {
  const ascii = population.shares.descriptionAscii ?? 1;
  const part = draw.next();
  const script = part < ascii ? 'ascii' : part < ascii + (population.shares.descriptionCjk ?? 0) ? 'cjk' : 'marks';
  const lines = [];
  for (const key of draw.choice(population.keySets).split(',')) {
    const kind = draw.choice(population.kinds[key] ?? { plain: 1 });
    if (key === 'name') {
      if (fault !== 'name-missing') lines.push(`name: ${kind === 'double-quoted' ? quoted(name) : name}`);
    } else if (key === 'description') {
      // The table has only the length of the first line, also for a block.
      const length = Math.min(1000, Math.max(20, draw.amount(population.descriptionLength)));
      const text = phrase(draw, length, script);
      if (fault === 'description-missing') continue;
      if (fault === 'frontmatter-unquoted-colon') lines.push(`description: Use when: ${text}`);
      else if (fault === 'frontmatter-yaml') lines.push(`description: "${text}" and more`);
      else if (kind === 'anchor-or-tag' || kind === 'nested-or-null') lines.push(`description: ${text}`);
      else lines.push(...field(draw, key, kind, text));
    } else
      lines.push(
        ...field(
          draw,
          key,
          kind,
          key === 'version'
            ? `${draw.whole(0, 3)}.${draw.whole(0, 9)}.0`
            : phrase(draw, draw.whole(3, 30), 'ascii').replace(/[,.]/g, ''),
        ),
      );
  }
  return lines;
}

/** The rule that a skill breaks; `undefined` for most. @param {Draw} draw */
function faultOf(draw) {
  const { of = 1, ...counts } = shapes.refused;
  const fault = draw.choice({ ...counts, none: of - Object.values(counts).reduce((sum, count) => sum + count, 0) });
  return fault === 'none' ? undefined : fault;
}

/** The folders above a skill. @param {Draw} draw @param {number} levels */
function prefix(draw, levels) {
  return Array.from({ length: levels }, () => `${draw.one(words).toLowerCase()}/`).join('');
}

/** @param {Draw} draw @param {Population} population @param {Set<string>} used */
function supportingPath(draw, population, used) {
  for (;;) {
    const extension = draw.choice(population.extensions).replace('(none)', '');
    const folder = draw.chance(0.85) ? `${draw.choice(population.subfolders)}/` : '';
    const deeper = draw.chance(0.15) ? `${draw.one(words).toLowerCase()}/` : '';
    const path = `${folder}${deeper}${draw.one(words).toLowerCase()}-${draw.one(words).toLowerCase()}${used.size > 50 ? draw.whole(1, 999) : ''}${extension}`;
    if (used.has(path)) continue;
    used.add(path);
    return path;
  }
}

const binary = new Set(['.ttf', '.png', '.pdf', '.gz', '.sig']);

/**
 * One skill of a tree. A nested skill or a copy uses the previous skill.
 * @param {number} seed @param {number} index @param {{ sound: boolean }} options `sound` draws only skills that every server accepts
 * @returns {import('./tree.mjs').TreeSkill}
 */
export function realisticSkill(seed, index, { sound }) {
  const draw = createDraw(seed, index);
  const { single, aggregate } = shapes.populations;
  const population = draw.chance(single.skills / (single.skills + aggregate.skills)) ? single : aggregate;
  const share = (/** @type {string} */ name) => draw.chance(population.shares[name] ?? 0);
  const name = `${draw.one(words).toLowerCase()}-${draw.one(words).toLowerCase()}-${index}`;
  const fault = faultOf(draw);
  const nested = share('nestedInAnotherSkill');
  const copied = share('duplicateSkillMd');
  const ownFolder = share('folderEqualsName');
  const levels = Math.max(0, draw.amount(population.depthBelowRoot) - 2);
  const above = prefix(createDraw(seed, 1e6 + draw.whole(0, 40 * levels)), levels);
  if (!sound && index > 0 && nested) {
    const outer = realisticSkill(seed, index - 1, { sound });
    return { folder: `${outer.folder}/skills/${name}`, files: [skillMd(draw, population, name, undefined)] };
  }
  const flaw = sound ? undefined : fault;
  const written = flaw === 'name-invalid' ? name.replace('-', ' ').toUpperCase() : name;
  const main =
    !sound && index > 0 && copied && flaw === undefined
      ? realisticSkill(seed, index - 1, { sound: true }).files.slice(0, 1)
      : [skillMd(draw, population, written, flaw)];
  const folder = `${above}${sound || ownFolder ? name : `${name}-v2`}`;
  const used = new Set();
  const more = Math.min(sound ? 60 : 600, draw.amount(population.filesPerSkill)) - 1;
  const files = Array.from({ length: more }, () => {
    const path = supportingPath(draw, population, used);
    const extension = path.slice(path.lastIndexOf('.'));
    const from = binary.has(extension) ? fillers.binary : draw.chance(0.5) ? fillers.ascii : fillers.marks;
    const seedLine = binary.has(extension)
      ? Buffer.of(0, index & 255, (index >> 8) & 255, index >> 16)
      : Buffer.from(`${index} ${path}\n`);
    const size = Math.min(1 << 20, draw.amount(population.fileBytes));
    const executable = /\.(?:sh|py)$/.test(path) && share('hasExecutableFile');
    return {
      path,
      bytes: Buffer.concat([seedLine, slice(draw, from, Math.max(0, size - seedLine.length))]),
      executable,
    };
  });
  return { folder, files: [...main, ...files] };
}

/** @param {Draw} draw @param {Population} population @param {string} name @param {string | undefined} fault */
function skillMd(draw, population, name, fault) {
  const { ascii = 0, cjk: chinese = 0, variationSelectors = 0 } = shapes.bodies;
  const part = draw.next();
  const from =
    part < ascii
      ? fillers.ascii
      : part < ascii + chinese
        ? fillers.cjk
        : part < ascii + chinese + variationSelectors
          ? fillers.emoji
          : fillers.marks;
  const missing = fault === 'frontmatter-missing';
  const end = draw.chance(population.shares.crlf ?? 0) ? '\r\n' : '\n';
  const lines = [
    '---',
    ...frontmatter(draw, population, name, fault),
    ...(fault === 'frontmatter-unclosed' ? [] : ['---']),
  ];
  const head = Buffer.from(missing ? '' : lines.map((line) => line + end).join(''));
  const title = Buffer.from(`# ${name}${end}`);
  const size = draw.amount(population.skillMdBytes) - head.length - title.length;
  return { path: 'SKILL.md', bytes: Buffer.concat([head, title, slice(draw, from, Math.max(40, size))]) };
}
