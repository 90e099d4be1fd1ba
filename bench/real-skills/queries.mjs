// Queries with the skills that answer them, all written by others: trigger phrases and test prompts of authors, and tasks of benchmarks.
//
// Every second trigger phrase, by its digest, is held out. It is removed from the frontmatter and the description of every skill, and only
// such phrases are queries. So no phrase finds its skill because the index contains it.
import { createHash } from 'node:crypto';
import { corpora, git, gitDirectory, skillRouter, sweSkillsBench } from './corpora.mjs';

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
const isQueryPhrase = (phrase) => number(phrase) % 2 === 0;

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
export function withoutQueryPhrases({ metadata, ...fields }) {
  /** @param {object} map */
  const withoutTriggers = (map) =>
    Object.fromEntries(
      Object.entries(map).map(([key, value]) =>
        key === 'triggers' ? [key, phrasesIn(value).filter((one) => !isQueryPhrase(one))] : [key, value],
      ),
    );
  const description = fields.description.replace(quoted, (all, phrase) => (isQueryPhrase(phrase) ? ' ' : all));
  const nested =
    typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
      ? withoutTriggers(metadata)
      : metadata;
  return /** @type {RealSkill['frontmatter']} */ ({ ...withoutTriggers(fields), description, metadata: nested });
}

/**
 * Held-out phrases of one half of the repositories; a phrase of both halves is not a query of the reported half.
 * @param {readonly RealSkill[]} skills @param {'listed' | 'quoted'} kind @param {Half} half @param {number} most
 * @returns {readonly Query[]}
 */
export function triggerQueries(skills, kind, half, most) {
  /** @type {Map<string, { text: string, gold: Set<string>, halves: Set<Half> }>} */
  const found = new Map();
  for (const skill of skills)
    for (const text of triggersOf(skill)[kind]) {
      if (!isQueryPhrase(text)) continue;
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

/** @param {string} folder @param {string} repository */
function clone(folder, repository) {
  const directory = gitDirectory(folder, repository);
  if (directory === undefined) throw new Error(`${repository} is not in ${folder}; clone it there`);
  const commit = [...corpora, skillRouter].find((corpus) => corpus.repository === repository)?.commit ?? 'HEAD';
  return {
    paths: () => git(directory, ['ls-tree', '-r', '--name-only', commit]).toString().split('\n'),
    /** @param {string} path */
    read: (path) => git(directory, ['show', `${commit}:${path}`]).toString(),
  };
}

/** Ids of skills by name. @param {readonly RealSkill[]} skills */
function idsByName(skills) {
  /** @type {Map<string, string[]>} */
  const byName = new Map();
  for (const { id, frontmatter } of skills) byName.set(frontmatter.name, [...(byName.get(frontmatter.name) ?? []), id]);
  return byName;
}

/**
 * Prompts with which authors test their skills (`evals/evals.json` beside SKILL.md); a skill of the same name answers too. A prompt of the
 * tuning half is not a query of the reported half.
 * @param {string} folder @param {readonly RealSkill[]} skills @param {Half} half @param {number} most
 * @returns {readonly Query[]}
 */
export function promptQueries(folder, skills, half, most) {
  const byName = idsByName(skills);
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  /** @type {Map<string, { query: Query, half: Half }>} */
  const found = new Map();
  const halves = /** @type {const} */ (['tuning', 'reported']);
  const ordered = halves.flatMap((one) => corpora.filter((corpus) => corpus.half === one));
  for (const { repository, half: ofRepository } of ordered) {
    if (!skills.some(({ id }) => id.startsWith(`${repository}/`))) continue;
    const { paths, read } = clone(folder, repository);
    for (const path of paths().filter((one) => one.endsWith('evals/evals.json'))) {
      const skill = byId.get(`${repository}/${path.slice(0, -'evals/evals.json'.length)}`);
      if (skill === undefined) continue;
      for (const text of promptsIn(read(path)))
        if (!found.has(text))
          found.set(text, { query: { text, gold: new Set(byName.get(skill.frontmatter.name)) }, half: ofRepository });
    }
  }
  return [...found.values()]
    .filter((one) => one.half === half)
    .map(({ query }) => query)
    .sort((a, b) => number(`${a.text} `) - number(`${b.text} `))
    .slice(0, most);
}

/** @param {string} text @returns {readonly string[]} */
function promptsIn(text) {
  try {
    const parsed = JSON.parse(text);
    /** @type {unknown} */
    const list = Array.isArray(parsed) ? parsed : parsed.evals;
    if (!Array.isArray(list)) return [];
    return list
      .filter((one) => one?.should_trigger !== false)
      .map((one) => one?.prompt ?? one?.query ?? one?.question)
      .filter((one) => typeof one === 'string' && one.length >= 20);
  } catch {
    // Some authors' files are not JSON.
    return [];
  }
}

/**
 * Requirement documents of SWE-Skills-Bench, three of its ten batches; the file is named like the skill that answers.
 * @param {string} folder @param {readonly RealSkill[]} skills @returns {readonly Query[]}
 */
export function requirementQueries(folder, skills) {
  const byName = idsByName(skills);
  const { paths, read } = clone(folder, sweSkillsBench);
  return paths().flatMap((path) => {
    const [, name = ''] = /^tasks\/batch[258]\/(.*)\.md$/.exec(path) ?? [];
    const gold = byName.get(name);
    return gold === undefined ? [] : [{ text: read(path), gold: new Set(gold) }];
  });
}

/**
 * Tasks of SkillRouter with the names of the skills that answer each. Its authors do not score tasks that only generic skills answer.
 * @param {string} folder @param {boolean} generic @returns {readonly { text: string, names: readonly string[] }[]}
 */
function tasksOf(folder, generic) {
  const { read } = clone(folder, skillRouter.repository);
  const relevance = JSON.parse(read('data/eval_core/relevance.json'));
  return read('data/eval_core/tasks.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .flatMap((task) => {
      const { gt_skill_ids, task_type } = relevance[task.task_id] ?? { gt_skill_ids: [] };
      if (task_type === 'generic_only' && !generic) return [];
      const names = gt_skill_ids.map((/** @type {string} */ id) => id.replace(/^gt\//, ''));
      return [{ text: task.instruction_text, names }];
    });
}

/** The number of tasks, answered in the pool or not. @param {string} folder @param {boolean} generic */
export function taskCount(folder, generic) {
  return tasksOf(folder, generic).length;
}

/**
 * Whole tasks of SkillRouter with at least one of their skills in the pool, by name.
 * @param {string} folder @param {readonly RealSkill[]} skills @param {boolean} generic @returns {readonly Query[]}
 */
export function taskQueries(folder, skills, generic) {
  const byName = idsByName(skills);
  return tasksOf(folder, generic).flatMap(({ text, names }) => {
    const gold = names.flatMap((name) => byName.get(name) ?? []);
    return gold.length === 0 ? [] : [{ text, gold: new Set(gold) }];
  });
}
