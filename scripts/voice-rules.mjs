// The rules of plain English that a program can check: long sentences, and patterns of a grammar that readers have to decode.
// A rule is here only if it has almost no false alarms.

/** @typedef {{ readonly rule: string, readonly excerpt: string, readonly line: number }} Fault */

export const longestSentence = 25;

const patterns = [
  [
    'headless',
    /^(?:What|Who|Whoever|Whatever|Whose|Where)\b(?!.*\?$)(?! to do:)(?!’s|'s)/,
    'name the subject of the sentence',
  ],
  ['whoever', /\bwhoever\b|\bwhomever\b/i, 'name who it is'],
  ['told', /\b(?:is|are|was|were|be|been|being) told\b/i, 'report, print or log'],
  [
    'where',
    /\b(?:where|wherever) (?:there (?:is|are|was|were) n(?:o|one)\b|(?:it|they|that|this|he) (?:is|are|does|do|did|can|could|has|have|had|was|were|may) no(?:t|ne)\b|(?:nobody|nothing|none|neither|no \w+) (?:is|are|was|were|has|have|can|could|does|did|says?|asks?)\b|(?:it|one|that|they|this) (?:is|are|was|were) (?:given|set|absent|undefined|missing|named|wanted|asked|allowed|configured)\b|(?:it|they|that) (?:has|have) (?:one|some|any|none)\b)/i,
    'write "if" or "when" for a condition',
  ],
  ['where', /\b(?:undefined|absent|true|false|null|empty|none)`? where\b/i, 'write "if" or "when" for a condition'],
  ['hold', /\b(?:do|does|did) not hold\b(?= *(?:[.,;:)|]|$))/i, 'fails verification, or does not match'],
  ['as it is now', /\bas (?:it|they) (?:is|are) now\b|\bas it was before\b/i, 'current'],
  ['make good', /\b(?:made|makes?|making) (?:it |them |this |that )?good\b/i, 'recover, resume or complete'],
  ['mend', /\bmend(?:s|ed|ing)?\b/i, 'fix'],
  ['given up', /\b(?:is|are|was|were|been) given up\b|\bgave up to\b/i, 'cancel or abort'],
  ['taken away', /\b(?:takes?|taken|took|taking) away\b/i, 'remove'],
  ['held back', /\bheld back\b|\bwithheld\b|\bwithholds?\b/i, 'waiting, or not published'],
  [
    'else than',
    /\b(?:anything|something|nothing|everything|anybody|somebody|nobody) else than\b|\belse than\b/i,
    'other than',
  ],
  ['all the same', /\ball the same\b/i, 'anyway, or still'],
  ['shall', /\bshall\b/, 'must, or present tense'],
  ['anew', /\banew\b|\bagain and again\b/i, 'again, or repeatedly'],
  ['but for', /\bbut for\b/i, 'except for'],
  ['go on', /\b(?:go|goes|going|went|gone) on\b(?! (?:the|a|an)\b)/i, 'continue'],
  ['give up', /\b(?:give|gives|giving|gave) up\b/i, 'stop, cancel or abort'],
  ['at hand', /\bat hand\b/i, 'available, or cached'],
  ['tell apart', /\btell(?:s|ing)? (?:\S+ ){1,6}apart\b|\btold apart\b|\btells of\b/i, 'distinguish, or report'],
  ['taken for', /\btake[ns]? (?:\S+ )?for (?:a|an|another|none|no)\b/i, 'read as, or mistake for'],
  ['come to an end', /\bcom(?:e|es|ing) to an end\b/i, 'end, or terminate'],
  ['switch off', /\bswitch(?:es|ed|ing)? (?:\S+ )?(?:on|off)\b/i, 'enable or disable'],
  [
    'British spelling',
    /\b(?:behaviour|colour|favour|honour|neighbour|licence|centre|catalogue|artefact|cancell(?:ed|ing)|labell(?:ed|ing)(?!by)|unlabelled|(?:normal|recogn|serial|organ|initial|author|optim|minim|synchron|summar)is(?:e[sd]?|ing|ation))\w*\b/i,
    'American spelling',
  ],
];

/** Words of names that say nothing about their value. */
const emptyWords = new Map([
  ['told', 'reported, or what it is'],
  ['untold', 'more, other'],
  ['asked', 'requests, questions, or what it is'],
  ['odd', 'unusual, invalid'],
  ['mine', 'own, local'],
  ['held', 'captured, waiting'],
  ['withheld', 'not published, waiting'],
  ['kept', 'stored, cached, remaining'],
  ['frozen', 'pinned; deepFrozen for objects'],
  ['rested', 'quiet, lazy'],
]);

/** Whole names that need a verb or noun for what they are. */
const emptyNames = new Map([
  ['letGrow', 'a verb for what it does'],
  ['meet', 'a verb for what it does'],
  ['meets', 'a verb for what it does'],
]);

/** @param {string} name of anything that is declared @returns {{ rule: string, excerpt: string }[]} */
export function nameFaults(name) {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|_/).map((word) => word.toLowerCase());
  const advice = emptyNames.get(name) ?? words.map((word) => emptyWords.get(word)).find((one) => one !== undefined);
  return advice === undefined || /deep_?frozen/i.test(name) ? [] : [{ rule: `name: ${advice}`, excerpt: name }];
}

/**
 * One exported name has one meaning: types of the same name in two files. @param {readonly { name: string, file: string, line: number }[]} types
 * @returns {{ file: string, line: number, rule: string, excerpt: string }[]}
 */
export function sharedNameFaults(types) {
  /** @type {Map<string, string>} */
  const files = new Map();
  return types.flatMap(({ name, file, line }) => {
    const first = files.get(name);
    if (first === undefined) files.set(name, file);
    return first === undefined || first === file
      ? []
      : [{ file, line, rule: `name: ${first} exports a type of the same name`, excerpt: name }];
  });
}

/** Faults of one sentence or fragment. @param {string} sentence @returns {{ rule: string, excerpt: string }[]} */
export function sentenceFaults(sentence) {
  const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const faults = [];
  if (words.length > longestSentence)
    faults.push({ rule: `${words.length} words in a sentence: split it`, excerpt: `${words.slice(0, 8).join(' ')} …` });
  for (const [name, pattern, advice] of patterns) {
    const match = pattern.exec(sentence);
    if (match === null) continue;
    const from = Math.max(0, match.index - 25);
    faults.push({
      rule: `${name}: ${advice}`,
      excerpt: sentence.slice(from, match.index + match[0].length + 25).trim(),
    });
  }
  return faults;
}

/** Code, links and quotations are not ours to word. @param {string} text */
function withoutCode(text) {
  return text
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/!?\[([^\]]*)\]\((?:[^()]|\([^()]*\))*\)/g, '$1')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/https?:\/\/\S+/g, 'URL')
    .replace(/\*{1,2}([^*\s](?:[^*]*[^*\s])?)\*{1,2}/g, '$1')
    .replace(/&[a-z]+;/g, ' ');
}

/** @param {string} text one paragraph */
export function sentences(text) {
  return withoutCode(text)
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?:][)"”’]?) (?=["“(]?[A-Z{])| (?=@(?:param|returns?)\b)|(?<=\S): (?=CODE\b.*\|)/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** Paragraphs, list items and table cells of Markdown or of a comment, with the line on which each begins. @param {string} text */
function blocks(text) {
  const found = [];
  let [open, fence] = [undefined, undefined];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    const [, mark] = /^(```+|~~~+)/.exec(line) ?? [];
    if (mark !== undefined) {
      fence = fence === undefined ? mark : line === fence ? undefined : fence;
      open = undefined;
    } else if (fence !== undefined || line === '' || /^#{1,6} |^\|?[\s:|-]+\|?$|^<[a-z!/]|^@\w+ *$/.test(line)) {
      open = undefined;
    } else if (line.startsWith('|')) {
      open = undefined;
      for (const cell of line.split(/(?<!\\)\|/)) found.push({ text: cell, line: index + 1, isCell: true });
    } else if (/^(?:[-*+]|\d+[.)]|@\w+) /.test(line) || open === undefined) {
      open = { text: line.replace(/^(?:[-*+]|\d+[.)]|@param \S+|@\w+) +/, ''), line: index + 1 };
      found.push(open);
    } else open.text += ` ${line}`;
  }
  return found;
}

/** @param {string} text Markdown, or a comment @returns {Fault[]} */
export function proseFaults(text) {
  // The frontmatter of a skill is data.
  return blocks(text.replace(/^---\n[\s\S]*?\n---$/m, (head) => head.replaceAll(/[^\n]/g, ''))).flatMap(
    ({ text: block, line, isCell }) =>
      sentences(block).flatMap((sentence) =>
        sentenceFaults(sentence)
          // The head of a column may be "What to do".
          .filter(({ rule }) => !(isCell && rule.startsWith('headless')))
          .map((fault) => ({ ...fault, line })),
      ),
  );
}

/** @param {string} text a message, a line of help or a text of the page @returns {{ rule: string, excerpt: string }[]} */
export function messageFaults(text) {
  return text.split('\n').flatMap((line) => sentences(line).flatMap(sentenceFaults));
}

/** Help as it is printed: paragraphs and the descriptions of options, wrapped lines joined, examples left out. @param {string} text @returns {Fault[]} */
export function helpFaults(text) {
  const found = [];
  let open;
  let examples = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\S/.test(line)) examples = /^Examples?:|^Usage:/.test(line);
    const [, indent = '', rest = ''] = /^(\s*)(.*)$/.exec(line) ?? [];
    if (rest === '' || examples) open = undefined;
    else if (indent.length > 8 && open !== undefined) open.text += ` ${rest}`;
    else if (indent.length === 0 && open?.isText) open.text += ` ${rest}`;
    else {
      const isText = indent.length === 0;
      open = { text: isText ? rest : rest.replace(/^.*? {2,}/, ''), line: index + 1, isText };
      found.push(open);
    }
  }
  return found.flatMap(({ text: block, line }) =>
    sentences(block).flatMap((sentence) => sentenceFaults(sentence).map((fault) => ({ ...fault, line }))),
  );
}
