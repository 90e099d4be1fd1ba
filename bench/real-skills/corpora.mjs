// Real skills of public repositories, read from Git at fixed commits. Weights are chosen with queries of the tuning repositories;
// the figures of record come from the others. The texts belong to many authors and stay outside this repository.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readFrontmatter } from '../../dist/skill/frontmatter.js';

/** @typedef {'tuning' | 'reported'} Half */

/** @type {readonly { repository: string, commit: string, half: Half }[]} */
export const corpora = [
  {
    repository: 'gabrielmoreira/agent-skills-mirror',
    commit: '4e7649a87f4d537d80ff59a4fcf2857c2b28ff7e',
    half: 'tuning',
  },
  { repository: 'AgentWorkers/skills', commit: '1e90d6049ff1436194cb2cd882582fccc6ae38d0', half: 'tuning' },
  { repository: 'davila7/claude-code-templates', commit: 'c2b584d4b8493e98a885b1b9aabb0736bccfe7cf', half: 'tuning' },
  {
    repository: 'sickn33/antigravity-awesome-skills',
    commit: 'e1dd8f41bcb43c3bb025d5056183729a626b696d',
    half: 'tuning',
  },
  { repository: 'anthropics/skills', commit: '9d2f1ae187231d8199c64b5b762e1bdf2244733d', half: 'tuning' },
  { repository: 'GeniusHTX/SWE-Skills-Bench', commit: '9a747da75106c611d69741b42d2d11d3b4e5204f', half: 'tuning' },
  {
    repository: 'thereisnotime/skills-collection',
    commit: 'cbf6db9f5fc99fe1a01f4c5e8cca7bee38f5dc8d',
    half: 'reported',
  },
  {
    repository: 'PranavNagrecha/AwesomeSalesforceSkills',
    commit: '2f65a366007b506189fb0395cef71fb06192cc5a',
    half: 'reported',
  },
  { repository: 'openclaw/skills', commit: '3a5f649f604cb32910dc9ddb81d9be873b2c3d42', half: 'reported' },
  {
    repository: 'ComposioHQ/awesome-claude-skills',
    commit: 'f2b5e29bc315f04c8e09591ba275f4c4f7d4b8fe',
    half: 'reported',
  },
  { repository: 'alirezarezvani/claude-skills', commit: '7d493fed97e4d57553630e1a2432c1c02bf5b2b3', half: 'reported' },
  { repository: 'github/awesome-copilot', commit: 'ab7544d03d4c49fdd07f5958e1888ad39c4118e2', half: 'reported' },
  { repository: 'NVIDIA/skills', commit: '7149a886d50da8db72cdc1f20ff01cefeadfe6a9', half: 'reported' },
  { repository: 'wshobson/agents', commit: '367cb6a4a182cf7e9b0a17c9429f7411ddd9cf35', half: 'reported' },
  { repository: 'google/skills', commit: '1af77752950126ae12dec176a0a3b27a16b7f5f7', half: 'reported' },
  {
    repository: 'K-Dense-AI/claude-scientific-skills',
    commit: '899a51bfbd63218153b272c9459dcb4a7ae88da6',
    half: 'reported',
  },
  { repository: 'trailofbits/skills', commit: '293fb74c3151cceda32a85a545fe8acd67f8f5c6', half: 'reported' },
  { repository: 'obra/superpowers', commit: '44c9b2d6e889982ac18c27d05a19fefe335194e1', half: 'reported' },
  { repository: 'vercel-labs/agent-skills', commit: 'b9c8ee0643d87d3c5a953d1e22382ff2ead39229', half: 'reported' },
  // A fork of benchflow-ai/skillsbench, which the tasks of SkillRouter come from: 126 of the 196 skills that answer them.
  { repository: 'KaiserWhoLearns/skillsbench', commit: '037a854d3d15ef93a016bb8425124a195e7d5ad9', half: 'reported' },
];

/** Tasks with the skill that answers each; for tuning. */
export const sweSkillsBench = 'GeniusHTX/SWE-Skills-Bench';

/** The tasks of the SkillRouter benchmark, with the names of the skills that answer each. */
export const skillRouter = {
  repository: 'zhengyanzhao1997/SkillRouter',
  commit: '93ef3b1fc643834b6bca90e2f009fb6ee89fa50a',
};

/**
 * The Git directory of a repository: FOLDER/OWNER+NAME, a clone with or without a work tree, or FOLDER/OWNER+NAME/repo.
 * @param {string} folder @param {string} repository
 */
export function gitDirectory(folder, repository) {
  const base = join(folder, repository.replace('/', '+'));
  return [join(base, '.git'), join(base, 'repo'), base].find((path) => existsSync(join(path, 'objects')));
}

/** @param {string} directory @param {readonly string[]} args @param {string} [input] */
export function git(directory, args, input) {
  return execFileSync('git', [`--git-dir=${directory}`, ...args], { input, maxBuffer: 2 ** 31 - 1 });
}

/**
 * @typedef {object} RealSkill
 * @property {string} id repository and path
 * @property {Half} half
 * @property {string} digest
 * @property {import('../../dist/skill/entry.js').Frontmatter} frontmatter
 * @property {Buffer} bytes of its SKILL.md
 */

/**
 * Every skill of a repository that can be served.
 * @param {string} folder @param {{ repository: string, commit: string, half: Half }} corpus
 * @returns {readonly RealSkill[]}
 */
export function realSkills(folder, { repository, commit, half }) {
  const directory = gitDirectory(folder, repository);
  if (directory === undefined) throw new Error(`${repository} is not in ${folder}; clone it there`);
  const rows = git(directory, ['ls-tree', '-r', '-z', commit]).toString().split('\0');
  const files = rows.flatMap((row) => {
    const [, object, path] = /^100\d+ blob ([0-9a-f]+)\t(.*\/)?SKILL\.md$/s.exec(row) ?? [];
    return object === undefined ? [] : [{ object, path: path ?? '' }];
  });
  const out = git(directory, ['cat-file', '--batch'], files.map(({ object }) => `${object}\n`).join(''));
  /** @type {RealSkill[]} */
  const skills = [];
  let at = 0;
  for (const { path } of files) {
    const end = out.indexOf(0x0a, at);
    const size = Number(/ blob (\d+)$/.exec(out.toString('utf8', at, end))?.[1] ?? Number.NaN);
    at = end + 1;
    // A snapshot may lack some objects.
    if (Number.isNaN(size)) continue;
    const bytes = out.subarray(at, at + size);
    at += size + 1;
    const read = readFrontmatter(bytes);
    if (!read.ok) continue;
    const digest = createHash('sha256').update(bytes).digest('hex');
    skills.push({ id: `${repository}/${path}`, half, digest, frontmatter: read.frontmatter, bytes });
  }
  return skills;
}
