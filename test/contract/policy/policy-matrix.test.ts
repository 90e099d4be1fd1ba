/**
 * Every rule of a policy, a profile and an origin, on every surface, for every way in which an origin can describe a skill. No
 * answer has a word of a skill that is not served, even if it was read and cached before the rule applied. The skill beside it is
 * served.
 */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { configurationJsonSchema } from '../../../src/gateway/configuration.ts';
import { policySchema, profilesSchema } from '../../../src/gateway/serving-schema.ts';
import { setDigest, setOf } from '../../../src/skill/skill-set.ts';
import { addDenial, removeDenial } from '../../../src/store/decisions/restrictions.ts';
import { nodeDigest } from '../../../src/store/embedded/node-digest.ts';
import { approvalValue } from '../../approved-skill.ts';
import { eventually } from '../../eventually.ts';
import { soakFactor } from '../../soak-factor.ts';
import { type Ask, type CallerAt, modern, tool } from '../access-requests.ts';
import type { Subject } from './described-origins.ts';
import {
  allListings,
  allQuestions,
  artifactsOf,
  contentOf,
  descriptions,
  liveText,
  type PolicedGateway,
  policedGateway,
} from './policed-gateway.ts';
import { otherKeys, type RuleRow, ruleRows, type ServedFacts } from './policy-rules.ts';

const read = (uri: string): Ask => modern('resources/read', { uri }, uri);

/** The text of a file as a reader gets it; undefined if it gets none. */
async function textOf(caller: CallerAt, subject: Subject, file = 'SKILL.md'): Promise<string | undefined> {
  const { live } = subject;
  if (live !== undefined && !live.path.endsWith('skill.md')) {
    const heard = await tool('callPath', { clientId: live.client, method: 'GET', path: live.path })(caller);
    return heard.body.includes(subject.text) ? liveText(subject) : undefined;
  }
  const heard = await read(`skill://${subject.path}/${file}`)(caller);
  const { result } = JSON.parse(heard.body) as { result?: { contents: readonly { text?: string }[] } };
  return result?.contents[0]?.text;
}

/** Reads everything that is served, so that every cache has it, and collects the facts for rules. */
async function warmed(made: PolicedGateway, caller: CallerAt) {
  const main = new Map<string, string>();
  const notes = new Map<string, string>();
  const sets = new Map<string, string>();
  const artifacts = await eventually(async () => {
    const found = await artifactsOf(caller);
    // Pinned as soon as it is seen, which takes a moment.
    if (!found.has('pinned-bad')) throw new Error('not pinned yet');
    return found;
  });
  for (const { kind, bad, good, shell } of descriptions) {
    const text = await eventually(async () => {
      const served = await textOf(caller, bad);
      if (served === undefined) throw new Error(`${kind} is not served`);
      return served;
    });
    main.set(kind, nodeDigest(new TextEncoder().encode(text)));
    // As the runtime sends it, which is another text than that of the catalog.
    if (bad.live !== undefined) main.set(`${kind} sent`, nodeDigest(new TextEncoder().encode(liveText(bad))));
    if (bad.notes !== undefined)
      notes.set(kind, nodeDigest(new TextEncoder().encode((await textOf(caller, bad, 'notes.md')) ?? '')));
    const entry = made.decisions.serving.liveEntry(kind, `skill://${bad.path.slice(kind.length + 1)}/SKILL.md`);
    const set = entry === undefined ? undefined : setOf(entry);
    if (set !== undefined) sets.set(kind, await setDigest(set));
    for (const one of [bad, good, ...(shell === undefined ? [] : [shell])])
      for (const ask of Object.values(warmQuestions(one, artifacts.get(one.name) ?? ''))) await ask(caller);
  }
  // A server that leaves sizes out has the same set as one that gives them.
  const full = made.decisions.serving.liveEntry('nosize', 'skill://nosize-bad/SKILL.md');
  if (full?.resources === 'dynamic') sets.set('nosize', await partialSet(caller));
  const facts: ServedFacts = { main, notes, sets };
  return { facts, artifacts };
}

async function partialSet(caller: CallerAt): Promise<string> {
  const bad = descriptions.find(({ kind }) => kind === 'nosize')?.bad as Subject;
  const files = await Promise.all(
    ['SKILL.md', 'notes.md', 'scripts/run.sh'].map(async (file) => ({
      uri: `skill://nosize-bad/${file}`,
      digest: nodeDigest(new TextEncoder().encode((await textOf(caller, bad, file)) ?? '')),
    })),
  );
  return setDigest(files);
}

/** Those that read a file or an archive. */
function warmQuestions(subject: Subject, artifact: string): Readonly<Record<string, Ask>> {
  const wanted = /^(?:resources\/read of|an archive|an artifact by digest$|the tool load_skill by URI|a file of)/;
  return Object.fromEntries(
    Object.entries(allQuestions(subject, artifact)).filter(([question]) => wanted.test(question)),
  );
}

/** As `skillwire approve` does it: of each kind the good one, and the one around a bad one that waits by itself. */
async function approve({ store, decisions }: PolicedGateway): Promise<void> {
  const approved = descriptions.flatMap(({ kind, good, outer }) => [
    { kind, path: good.path },
    ...(outer === undefined || kind !== 'nested' ? [] : [{ kind, path: outer.path }]),
  ]);
  for (const { kind, path } of approved) {
    const uri = `skill://${path.slice(kind.length + 1)}/SKILL.md`;
    const entry = decisions.serving.liveEntry(kind, uri);
    if (entry === undefined || entry.resources === 'dynamic') continue;
    await store.state.set(['approval', kind, uri], await approvalValue(kind, entry));
  }
}

async function putInForce(row: RuleRow, facts: ServedFacts, made: PolicedGateway): Promise<void> {
  if (row.policy !== undefined) made.decisions.serving.use(row.policy(facts));
  if (row.approves === true) await approve(made);
  for (const { digest, origin, match, reason = 'test' } of row.denials?.(facts) ?? [])
    if (digest !== undefined) await addDenial(made.store, 'digest', digest, reason);
    else if (origin !== undefined) await addDenial(made.store, 'origin', origin, reason);
    else await addDenial(made.store, 'match', match ?? '', reason);
  if (row.settings !== undefined) await made.settle(row.settings);
}

/** Removes the rule, and waits until everything is served again. */
async function lift(row: RuleRow, facts: ServedFacts, made: PolicedGateway): Promise<void> {
  made.decisions.serving.use({});
  for (const { key } of await made.store.state.entries(['approval'])) await made.store.state.delete(key);
  for (const { digest, origin, match } of row.denials?.(facts) ?? [])
    if (digest !== undefined) await removeDenial(made.store, 'digest', digest, 'test');
    else if (origin !== undefined) await removeDenial(made.store, 'origin', origin, 'test');
    else await removeDenial(made.store, 'match', match ?? '', 'test');
  if (row.settings !== undefined) await made.settle({});
  const caller = made.as('everything');
  for (const { bad } of descriptions)
    await eventually(async () => {
      if ((await textOf(caller, bad)) === undefined) throw new Error(`${bad.path} is not back after ${row.rule}`);
    });
}

/** Every word that must not be there, with the answers that have it. */
async function leaks(
  row: RuleRow,
  caller: CallerAt,
  artifacts: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const found: string[] = [];
  const hidden = descriptions.map((description) => ({ description, words: row.hides(description) }));
  const look = async (question: string, ask: Ask, words: readonly string[]): Promise<void> => {
    const content = await contentOf(await ask(caller));
    for (const word of words) if (content.includes(word)) found.push(`${word}: ${question}`);
  };
  const every = hidden.flatMap(({ words }) => words);
  for (const [question, ask] of Object.entries(allListings)) await look(question, ask, every);
  for (const { description, words } of hidden) {
    if (words.length === 0) continue;
    const { bad, shell, outer } = description;
    const subjects = [bad, ...(outer === undefined ? [] : [outer])].map((subject) => ({
      subject,
      questions: allQuestions,
    }));
    // Every surface was checked with the first one; this one differs only in its text.
    if (shell !== undefined) subjects.push({ subject: shell, questions: warmQuestions });
    for (const { subject, questions } of subjects) {
      const all = Object.entries(questions(subject, artifacts.get(subject.name) ?? ''));
      await Promise.all(all.map(([question, ask]) => look(`${subject.path}: ${question}`, ask, words)));
    }
  }
  return found;
}

/** Skills that should be served and are not. */
async function missing(row: RuleRow, caller: CallerAt): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const description of descriptions) {
    if (row.hidesGood?.(description) === true) continue;
    const { good } = description;
    await eventually(async () => {
      if ((await textOf(caller, good))?.includes(good.text) !== true) throw new Error(`${good.path} is not served`);
    }).catch(() => lost.push(good.path));
  }
  return lost;
}

describe('without a rule', () => {
  test('every surface shows its skills, so that the checks below mean something', { timeout: 120_000 }, async () => {
    const made = await policedGateway({});
    const caller = made.as('everything');
    const { artifacts } = await warmed(made, caller);
    const showing = new Map<string, string[]>();
    for (const { kind, bad } of descriptions) {
      const requests = Object.entries({ ...allListings, ...allQuestions(bad, artifacts.get(bad.name) ?? '') });
      const shown: string[] = [];
      for (const [question, ask] of requests) {
        const content = await contentOf(await ask(caller));
        if ([bad.text, bad.notes, bad.script].some((word) => word !== undefined && content.includes(word)))
          shown.push(question);
      }
      showing.set(kind, shown);
    }
    for (const [kind, questions] of showing)
      expect(questions.length, kind).toBeGreaterThan(kind === 'endpoint' ? 1 : 2);
    const full = showing.get('full') ?? [];
    for (const surface of [
      'skills/list',
      'skills/list of older clients',
      'skills/get',
      'resources/read',
      'resources/list',
      'the tool load_skill by name',
      'the tool read_skill_file, another file',
      'the prompt of its name',
      'the tool search_skills by name',
      'skill://index.json',
      'a document',
      'an archive as a resource',
      'an archive as a resource, zip',
      'the index of v0.2',
      'the index of v0.1',
      'a file of v0.2',
      'a file of v0.1',
      'an archive by name',
      'an artifact by digest',
      'the catalog on the skill routes',
      'its text on the page',
      'the rows of the page',
      'GET /api/search by name',
    ])
      expect(full, surface).toContain(surface);
    const live = showing.get('live') ?? [];
    for (const surface of ['the skill route', 'the tool callPath', 'the tool callPaths for all'])
      expect(live, surface).toContain(surface);
  });
});

/** One gateway for all rules: before the next rule, everything is served again, so that every cache has it. */
test('no rule lets content through that was read before it, and every rule serves the skill beside it', {
  timeout: 600_000 * soakFactor,
}, async () => {
  const profiles = Object.fromEntries(
    ruleRows.flatMap(({ rule, profile }) => (profile === undefined ? [] : [[rule, profile]])),
  );
  const made = await policedGateway({}, profiles);
  const { facts, artifacts } = await warmed(made, made.as('everything'));
  for (let round = 0; round < soakFactor; round++)
    for (const row of ruleRows) {
      const reader = made.as(row.profile === undefined ? 'everything' : row.rule);
      await putInForce(row, facts, made);
      expect.soft(await leaks(row, reader, artifacts), `what ${row.rule} lets through`).toEqual([]);
      expect.soft(await missing(row, reader), `what ${row.rule} keeps back and should not`).toEqual([]);
      await lift(row, facts, made);
    }
});

describe('every key of the schema', () => {
  const rows = new Set(ruleRows.flatMap(({ keys }) => keys));
  const has = (key: string): boolean => rows.has(key) || Object.hasOwn(otherKeys, key);
  const without = (prefix: string, keys: Iterable<string>): readonly string[] =>
    [...keys].map((key) => `${prefix}.${key}`).filter((key) => !has(key));

  test('of a policy and its denials has a row', () => {
    const { properties = {} } = z.toJSONSchema(policySchema) as Schema;
    expect(without('policy', Object.keys(properties))).toEqual([]);
    expect(without('deny', Object.keys(properties['deny']?.items?.properties ?? {}))).toEqual([]);
    expect(rows).toContain('deny.match');
  });

  test('of a profile and an origin has a row', () => {
    const { additionalProperties: profile } = z.toJSONSchema(profilesSchema) as Schema;
    expect(without('profile', Object.keys(profile?.properties ?? {}))).toEqual([]);
    const keys = new Set(propertiesIn((configurationJsonSchema() as Schema).properties?.['origins']));
    expect(keys.size).toBeGreaterThan(10);
    expect(without('origin', keys)).toEqual([]);
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Names of the properties of every form that an origin can have. */
function propertiesIn({ additionalProperties, anyOf = [], properties = {} }: Schema = {}): readonly string[] {
  const inside = [...anyOf, ...(typeof additionalProperties === 'object' ? [additionalProperties] : [])];
  return [...Object.keys(properties), ...inside.flatMap(propertiesIn)];
}
