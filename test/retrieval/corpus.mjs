// The corpus for measuring retrieval: skills written by hand (`skills.txt`), the example skills, and any number of generated ones. Those
// use the same words and are never the answer. The same number gives the same text on every machine.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./corpus.d.mts').CorpusSkill} CorpusSkill */

/** @param {string} name */
const near = (name) => fileURLToPath(new URL(name, import.meta.url));

/** @param {string} name @param {string} description @param {string} body @returns {CorpusSkill} */
function skill(name, description, body) {
  return { name, description, text: `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}` };
}

/** @returns {CorpusSkill[]} */
function writtenSkills() {
  return readFileSync(near('skills.txt'), 'utf8')
    .split(/^== /m)
    .slice(1)
    .map((block) => {
      const [name = '', description = '', ...body] = block.trimEnd().split('\n');
      return skill(name, description, `${body.map((line) => line.replace(/^# /, '## ')).join('\n\n')}\n`);
    });
}

/** @returns {CorpusSkill[]} */
function exampleSkills() {
  const root = near('../../examples/skills');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('SKILL.md'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const [, name = '', description = ''] = /^name: (.*)\ndescription: (.*)$/m.exec(text) ?? [];
      return { name, description, text };
    });
}

/** Numbers that look random and are the same everywhere. @param {number} seed */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const verbs =
  'check collect compare convert count create describe draft estimate explain export extract filter import inspect label map merge migrate monitor organise prepare publish rank reconcile record rename schedule sort summarise track translate validate'.split(
    ' ',
  );
const things =
  'account address agenda archive asset audit backup badge batch booking branch budget calendar campaign catalogue certificate channel client cluster comment contact contract course database delivery document domain draft event feature feed file form image incident index inventory invoice issue journal key lead ledger lesson letter licence list log map meeting message metric model module note offer order package page payment photo plan policy price product profile project query queue receipt record refund release reminder report request resource review risk roadmap rule sample schedule schema script sensor service session shift shipment site sprint stock survey table task team template test ticket timeline token tool trace transcript trial user vendor version video visit warehouse workflow'.split(
    ' ',
  );
const places =
  'airlines archives bakeries banks breweries cinemas clinics courts dentists embassies factories farms festivals foundations galleries gyms harbours hospitals hotels insurers laboratories landlords law-firms libraries lighthouses museums newsrooms nurseries observatories orchestras pharmacies printers publishers railways restaurants schools shipyards stadiums startups studios theatres vineyards zoos'.split(
    ' ',
  );
const syllables = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zy bra cle dri flo gru'.split(' ');

/** A word that no language has; the texts of many authors have thousands of rare ones. @param {number} index */
function rareWord(index) {
  let rest = index + 1;
  let word = '';
  for (; rest > 0; rest = Math.floor(rest / syllables.length)) word += syllables[rest % syllables.length];
  return `${word}n`;
}

/** @returns {string[]} */
function sentences() {
  return readFileSync(near('skills.txt'), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('==') && !line.startsWith('#'))
    .flatMap((line) => line.split(/(?<=\.) /));
}

/** @param {number} count @returns {CorpusSkill[]} */
export function generatedSkills(count) {
  const known = sentences();
  return Array.from({ length: count }, (_, index) => {
    const next = numbers(index + 1);
    /** @param {readonly string[]} words */
    const pick = (words) => words[Math.floor(next() * words.length)] ?? '';
    const [verb, thing, other, place] = [pick(verbs), pick(things), pick(things), pick(places)];
    const line = () => {
      const rare = Array.from({ length: 4 }, () => rareWord(Math.floor(next() ** 3 * 40_000))).join(' ');
      return next() < 0.2 ? pick(known) : `${pick(verbs)} the ${pick(things)} of ${rare} before the ${pick(things)}.`;
    };
    const part = () => `## ${pick(verbs)} ${pick(things)}\n\n${Array.from({ length: 12 }, line).join(' ')}\n`;
    return skill(
      `${verb}-${thing}-${place}-${index}`.slice(0, 64),
      `Helps ${place} ${verb} each ${thing} and its ${other}. Use when a ${thing} is asked for, late or wrong.`,
      `# ${verb} ${thing}\n\n${Array.from({ length: 5 }, part).join('\n')}`,
    );
  });
}

/** The skills that queries ask for. @returns {CorpusSkill[]} */
export function targetSkills() {
  return [...writtenSkills(), ...exampleSkills()];
}

/** @param {'tuning' | 'held-out'} half @returns {{ query: string, name: string }[]} */
export function queries(half) {
  return readFileSync(near(`queries-${half}.tsv`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [query = '', name = ''] = line.split('\t');
      return { query, name };
    });
}
