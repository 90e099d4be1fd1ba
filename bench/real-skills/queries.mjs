// Queries with the skills that answer them, all written by others: trigger phrases of authors, and the tasks of SkillRouter.
//
// Every second trigger phrase, by its digest, is held out: it is removed from the frontmatter and from the description of every skill,
// and only held-out phrases are asked. So no phrase finds its skill because the index has read it there.
import { createHash } from 'node:crypto';
import { git, gitDirectory, skillRouter } from './corpora.mjs';

/** @typedef {import('./corpora.mjs').RealSkill} RealSkill */
/** @typedef {import('./corpora.mjs').Half} Half */

/**
 * @typedef {object} Query
 * @property {string} text
 * @property {ReadonlySet<string>} gold ids of the skills that answer it
 */

const quoted = /["\u201c]([^"\u201c\u201d]{4,80})["\u201d]/g;

/** @param {string} phrase */
function number(phrase) {
  return createHash('sha256').update(phrase.trim().toLowerCase()).digest().readUInt32BE();
}

/** @param {string} phrase */
const isHeldOut = (phrase) => number(phrase) % 2 === 0;

/** @param {unknown} value @returns {readonly string[]} */
function phrasesIn(value) {
  if (typeof value === 'string') return value.split(/[,;\n]/);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** @param {RealSkill['frontmatter']} frontmatter @returns {unknown} */
function listedTriggers(frontmatter) {
  const { metadata } = frontmatter;
  const nested = typeof metadata === 'object' && metadata !== null && 'triggers' in metadata ? metadata.triggers : [];
  return frontmatter['triggers'] ?? nested;
}

/** @param {RealSkill} skill @returns {{ listed: readonly string[], quoted: readonly string[] }} */
export function triggersOf({ frontmatter }) {
  /** @param {readonly string[]} phrases */
  const usable = (phrases) => phrases.map((one) => one.trim()).filter((one) => one.length >= 4 && one.length <= 120);
  return {
    listed: usable(phrasesIn(listedTriggers(frontmatter))),
    quoted: usable([...frontmatter.description.matchAll(quoted)].map(([, phrase = '']) => phrase)),
  };
}

/**
 * The frontmatter without phrases that are held out.
 * @param {RealSkill['frontmatter']} frontmatter @returns {RealSkill['frontmatter']}
 */
export function withoutHeldOut({ metadata, ...fields }) {
  /** @param {object} map */
  const kept = (map) =>
    Object.fromEntries(
      Object.entries(map).map(([key, value]) =>
        key === 'triggers' ? [key, phrasesIn(value).filter((one) => !isHeldOut(one))] : [key, value],
      ),
    );
  const description = fields.description.replace(quoted, (all, phrase) => (isHeldOut(phrase) ? ' ' : all));
  const nested =
    typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? kept(metadata) : metadata;
  return /** @type {RealSkill['frontmatter']} */ ({ ...kept(fields), description, metadata: nested });
}

/**
 * Held-out phrases of one half of the repositories; a phrase that the other half has too is no query of the reported one.
 * @param {readonly RealSkill[]} skills @param {'listed' | 'quoted'} kind @param {Half} half @param {number} most
 * @returns {readonly Query[]}
 */
export function triggerQueries(skills, kind, half, most) {
  /** @type {Map<string, { text: string, gold: Set<string>, halves: Set<Half> }>} */
  const found = new Map();
  for (const skill of skills)
    for (const text of triggersOf(skill)[kind]) {
      if (!isHeldOut(text)) continue;
      const known = found.get(text.toLowerCase()) ?? { text, gold: new Set(), halves: new Set() };
      known.gold.add(skill.id);
      known.halves.add(skill.half);
      found.set(text.toLowerCase(), known);
    }
  return [...found.values()]
    .filter(({ halves }) => (half === 'tuning' ? halves.has(half) : !halves.has('tuning')))
    .sort((a, b) => number(`${a.text} `) - number(`${b.text} `))
    .slice(0, most);
}

/**
 * Descriptions of skills that exist in several versions: each asks for the others, and is not searched itself.
 * Stand-ins for whole tasks while weights are chosen.
 * @param {readonly RealSkill[]} skills @param {number} most
 * @returns {{ queries: readonly Query[], asked: ReadonlySet<string> }}
 */
export function versionQueries(skills, most) {
  /** @type {Map<string, RealSkill[]>} */
  const byName = new Map();
  for (const skill of skills) {
    if (skill.half !== 'tuning') continue;
    const { name } = skill.frontmatter;
    byName.set(name, [...(byName.get(name) ?? []), skill]);
  }
  const several = [...byName.entries()]
    .map(([name, versions]) => ({
      name,
      versions: [...new Map(versions.map((one) => [one.frontmatter.description, one])).values()],
    }))
    .filter(({ versions }) => versions.length === 2)
    .sort((a, b) => number(a.name) - number(b.name))
    .slice(0, most);
  /** @type {Set<string>} */
  const asked = new Set();
  const queries = several.map(({ name, versions }) => {
    const [first] = versions;
    const gone = skills.filter(
      (one) => one.frontmatter.name === name && one.frontmatter.description === first?.frontmatter.description,
    );
    for (const { id } of gone) asked.add(id);
    const gold = skills.filter((one) => one.frontmatter.name === name && !asked.has(one.id));
    const body =
      first?.bytes
        .toString()
        .replace(/^---[\s\S]*?\n---/, '')
        .slice(0, 900) ?? '';
    return { text: `${first?.frontmatter.description} ${body}`, gold: new Set(gold.map(({ id }) => id)) };
  });
  return { queries, asked };
}

/**
 * Whole tasks of SkillRouter of which at least one skill is there, by name. Its authors do not score tasks that only generic skills answer.
 * @param {string} folder @param {readonly RealSkill[]} skills @param {boolean} generic @returns {readonly Query[]}
 */
export function taskQueries(folder, skills, generic) {
  const directory = gitDirectory(folder, skillRouter.repository);
  if (directory === undefined) throw new Error(`${skillRouter.repository} is not in ${folder}; clone it there`);
  /** @param {string} path */
  const read = (path) => git(directory, ['show', `${skillRouter.commit}:data/eval_core/${path}`]).toString();
  const relevance = JSON.parse(read('relevance.json'));
  /** @type {Map<string, string[]>} */
  const byName = new Map();
  for (const { id, frontmatter } of skills) byName.set(frontmatter.name, [...(byName.get(frontmatter.name) ?? []), id]);
  return read('tasks.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .flatMap((task) => {
      const { gt_skill_ids, task_type } = relevance[task.task_id] ?? { gt_skill_ids: [] };
      if (task_type === 'generic_only' && !generic) return [];
      const gold = gt_skill_ids.flatMap((/** @type {string} */ id) => byName.get(id.replace(/^gt\//, '')) ?? []);
      return gold.length === 0 ? [] : [{ text: task.instruction_text, gold: new Set(gold) }];
    });
}
