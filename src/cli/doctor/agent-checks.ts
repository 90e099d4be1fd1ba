/**
 * Finds the agents on this machine and the folders they read. Reports what does not work there: broken links, skills that hide each other,
 * and lists longer than an agent accepts. Never changes these folders, because most of their content belongs to others.
 */

import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type Agent, type AgentBase, agentReads } from '../../agents/agent-table.ts';
import { reasonOf } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { foldName } from '../../skill/file-path.ts';
import { readFrontmatter } from '../../skill/frontmatter.ts';
import { isAbsent } from '../../store/embedded/file-system.ts';
import { foundAgents } from '../found-agents.ts';
import type { AgentFacts, DoctorFinding } from './finding.ts';

interface FoundSkill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  /** Without links. */
  readonly real: string;
  readonly text: string;
}

interface SkillFolder {
  readonly exists: boolean;
  readonly skills: readonly FoundSkill[];
  readonly findings: readonly DoctorFinding[];
}

export async function checkAgents(place: AgentBase, platform: string, extra: readonly Agent[] = []) {
  const folders = new Map<string, SkillFolder>();
  const facts: AgentFacts[] = [];
  const hidden = new Map<string, { agents: string[]; finding: DoctorFinding }>();
  const findings: DoctorFinding[] = [];
  const found = foundAgents(place, platform, extra);
  for (const agent of found) {
    const reads: { path: string; folder: SkillFolder }[] = [];
    for (const path of agentReads(agent, place)) {
      const folder = folders.get(path) ?? (await readFolder(path));
      folders.set(path, folder);
      reads.push({ path, folder });
    }
    facts.push({
      id: agent.id,
      name: agent.name,
      reads: reads.map(({ path, folder }) => ({ path, exists: folder.exists, skills: folder.skills.length })),
    });
    const skills = reads.flatMap(({ folder }) => folder.skills);
    for (const [first, other] of shadowed(skills)) {
      const key = `${first.path}\n${other.path}`;
      const known = hidden.get(key) ?? { agents: [], finding: shadowingFinding(first, other) };
      known.agents.push(agent.name);
      hidden.set(key, known);
    }
    findings.push(...listingFindings(agent, skills));
  }
  for (const { findings: ofFolder } of folders.values()) findings.push(...ofFolder);
  for (const { agents, finding } of hidden.values())
    findings.push({ ...finding, message: `${agents.join(', ')}: ${finding.message}` });
  if (found.length === 0)
    findings.push({
      level: 'note',
      check: 'agents',
      message: 'No known agent found',
      remedy: 'Add yours under "agents" in skillwire.json, or name one with --agent.',
    });
  return { agents: facts, findings };
}

async function readFolder(folder: string): Promise<SkillFolder> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return { exists: false, skills: [], findings: [] };
    const message = `"${folder}" cannot be read: ${reasonOf(error)}`;
    const remedy = 'Check its permissions. The agent cannot read it either.';
    return {
      exists: true,
      skills: [],
      findings: [{ level: 'warning', check: 'agents', message, remedy, path: folder }],
    };
  }
  const skills: FoundSkill[] = [];
  const findings: DoctorFinding[] = [];
  for (const name of [...names].sort().slice(0, limits.agents.skillsLookedAt)) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    const real = await realOf(path);
    if (real === undefined) findings.push(brokenLink(path));
    else {
      const skill = await skillIn(path, real, name);
      if (skill !== undefined) skills.push(skill);
    }
  }
  if (names.length > limits.agents.skillsLookedAt)
    findings.push({
      level: 'note',
      check: 'agents',
      message: `"${folder}" has ${names.length} entries; only ${limits.agents.skillsLookedAt} were checked`,
      remedy: 'Move away entries that are not skills.',
      path: folder,
    });
  return { exists: true, skills, findings };
}

/** `undefined` for a broken link. */
async function realOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ELOOP' && code !== 'ENOTDIR') throw error;
    return (await lstat(path)).isSymbolicLink() ? undefined : path;
  }
}

async function skillIn(path: string, real: string, folderName: string): Promise<FoundSkill | undefined> {
  const bytes = await beginningOf(join(path, 'SKILL.md'));
  if (bytes === undefined) return undefined;
  const reading = readFrontmatter(bytes);
  const text = new TextDecoder('latin1').decode(bytes);
  if (!reading.ok) return { name: folderName, description: '', path, real, text };
  const { name, description } = reading.frontmatter;
  return { name, description: typeof description === 'string' ? description : '', path, real, text };
}

/** The first bytes of a file, enough for its frontmatter; `undefined` if there is no file. */
async function beginningOf(path: string): Promise<Uint8Array | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const buffer = new Uint8Array(limits.frontmatter.bytes);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'EACCES') return undefined;
    throw error;
  }
}

/** Different skills of one name, the nearest first: agents use the nearest. */
function shadowed(skills: readonly FoundSkill[]): readonly (readonly [FoundSkill, FoundSkill])[] {
  const pairs: [FoundSkill, FoundSkill][] = [];
  const first = new Map<string, FoundSkill>();
  for (const skill of skills) {
    const known = first.get(foldName(skill.name));
    if (known === undefined) first.set(foldName(skill.name), skill);
    else if (known.real !== skill.real && known.text !== skill.text) pairs.push([known, skill]);
  }
  return pairs;
}

function shadowingFinding(first: FoundSkill, other: FoundSkill): DoctorFinding {
  return {
    level: 'warning',
    check: 'shadowing',
    message: `two skills are named "${other.name}": "${first.path}" hides "${other.path}"`,
    remedy: 'Remove or rename one of them.',
    path: other.path,
  };
}

function listingFindings(agent: Agent, skills: readonly FoundSkill[]): readonly DoctorFinding[] {
  const budget = agent.listingCharacters;
  if (budget === undefined) return [];
  const real = new Map(skills.map((skill) => [skill.real, skill]));
  const needed = [...real.values()].reduce((sum, { name, description }) => sum + name.length + description.length, 0);
  if (needed <= budget) return [];
  return [
    {
      level: 'warning',
      check: 'listing',
      message: `${agent.name} truncates its list of skills: ${needed} of ${budget} characters of names and descriptions`,
      remedy: 'Remove unused skills, shorten descriptions, or serve them with "skillwire serve".',
    },
  ];
}

function brokenLink(path: string): DoctorFinding {
  return {
    level: 'problem',
    check: 'links',
    message: `Broken link: "${path}"`,
    remedy: 'Run "skillwire install" if it was installed here, else remove the link.',
    path,
  };
}
