import { describe, expect, test } from 'vitest';
import type { DialectServer } from '../../test/dialect-servers/dialect-server.ts';
import { dialectServers } from '../../test/dialect-servers/dialect-servers.ts';
import { verifies } from '../../test/requirements/verifies.ts';
import { dialectIds } from './dialect-skill.ts';
import { type Probe, type ProbeAnswer, probeRequest, readProbe } from './probe.ts';
import { type DialectVerdict, nextProbe, type ProbeOutcomes, recognize } from './recognize.ts';

function answerOf(server: DialectServer, probe: Probe): ProbeAnswer {
  const { method, params } = probeRequest(probe);
  const [value] = Object.values(params);
  const key = value === undefined ? method : `${method} ${value}`;
  return server.answers[key] ?? { kind: 'error', code: -32601 };
}

/** Asks a server as a reader does. */
function interview(server: DialectServer): { readonly verdict: DialectVerdict; readonly probes: readonly string[] } {
  const { capabilities, instructions, options } = server;
  let outcomes: ProbeOutcomes = { capabilities, ...(instructions === undefined ? {} : { instructions }), probes: [] };
  for (let probe = nextProbe(outcomes, options); probe !== undefined; probe = nextProbe(outcomes, options)) {
    expect(recognize(outcomes, options)).toMatchObject({ dialect: 'none', state: 'undecided', verified: 'none' });
    expect(outcomes.probes.length).toBeLessThan(20);
    const outcome = readProbe(probe, answerOf(server, probe));
    outcomes = { ...outcomes, probes: [...outcomes.probes, { probe, outcome }] };
  }
  return { verdict: recognize(outcomes, options), probes: outcomes.probes.map(({ probe }) => probe.kind) };
}

const byName = (what: string): DialectServer => {
  const found = dialectServers.find((server) => server.what.startsWith(what));
  if (found === undefined) throw new Error(`no server "${what}"`);
  return found;
};

describe('recognize()', () => {
  test('has a corpus with every dialect and every state', () => {
    expect(dialectServers.length).toBeGreaterThanOrEqual(40);
    expect(new Set(dialectServers.map(({ what }) => what)).size).toBe(dialectServers.length);
    expect(dialectIds.filter((id) => !dialectServers.some(({ dialect }) => dialect === id))).toEqual([]);
    expect(new Set(dialectServers.map(({ state }) => state))).toEqual(
      new Set(['found', 'empty', 'refused', 'failed', 'none']),
    );
  });

  test.each(dialectServers.map((server) => [server.what, server] as const))('recognizes %s', (_what, server) => {
    const { verdict, probes } = interview(server);
    const { dialect, state, verified = 'none' } = server;
    expect(verdict).toEqual({ dialect, state, verified, reason: expect.stringMatching(/^\S.*[^.]$/) });
    expect(probes).toEqual(server.probes);
  });

  verifies(['C-15', 'H-4'], 'if the extension is declared and answers, nothing else counts', () => {
    for (const what of ['the extension with an empty', 'the extension with invalid', 'later skilljack-mcp'])
      expect(interview(byName(what))).toMatchObject({
        verdict: { dialect: 'skills-extension' },
        probes: ['skills-list'],
      });
  });

  verifies(
    ['discovery:no-downgrade'],
    'only "method not found" leads from the extension to a dialect with less verification',
    () => {
      for (const what of [
        'the extension whose listing breaks',
        'the extension whose listing never',
        'the extension whose listing is',
      ])
        expect(interview(byName(what)).verdict).toMatchObject({ dialect: 'skills-extension', state: 'failed' });
      expect(interview(byName('a draft that declares the extension and serves')).verdict).toEqual({
        dialect: 'skill-index',
        state: 'found',
        verified: 'skill-md-only',
        reason: 'skill://index.json can be read',
      });
    },
  );

  verifies(
    ['discovery:order'],
    'the order is: extension, index, names, list, templates, instructions, scoped list',
    () => {
      const nothing: DialectServer = {
        what: 'x',
        capabilities: { resources: {}, skills: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
        instructions: 'Read skill://a/SKILL.md',
        answers: { 'resources/list': { kind: 'results', results: [{ resources: [] }] } },
        dialect: 'none',
        state: 'none',
        probes: [],
      };
      expect(interview(nothing).probes).toEqual([
        'skills-list',
        'skill-index',
        'named-list',
        'resources-list',
        'templates-list',
        'mentioned-skill',
        'scoped-list',
      ]);
    },
  );

  verifies(['index:no-proof'], 'a missing, empty or broken index does not prove that there are no skills', () => {
    for (const what of ['an empty index beside', 'an index that is no JSON', 'no index, told', 'an index that never'])
      expect(interview(byName(what)).verdict).toMatchObject({ dialect: 'resource-list', state: 'found' });
  });

  verifies(['nimblebrain:opt-in'], 'usage resources are named, but not read without permission', () => {
    expect(interview(byName('NimbleBrain where nobody')).verdict.reason).toContain('"nimblebrain" is chosen');
    const forbidden = {
      ...byName('NimbleBrain where it'),
      options: { allow: ['nimblebrain'], forbid: ['nimblebrain'] } as const,
    };
    expect(interview(forbidden).verdict).toMatchObject({
      dialect: 'none',
      reason: 'nothing it declares or lists is a skill',
    });
  });

  test('returns the next probes', () => {
    const start = { capabilities: { resources: {} }, probes: [] };
    expect(nextProbe(start)).toEqual({ kind: 'skill-index' });
    expect(recognize(start)).toMatchObject({ state: 'undecided', reason: '"skill-index" has not been requested' });
  });

  test('ignores an outcome of another kind than requested', () => {
    const rows = { kind: 'resources', resources: [] } as const;
    const capabilities = { skills: {}, extensions: { 'io.modelcontextprotocol/skills': {} } };
    const probes = [{ probe: { kind: 'skills-list' } as const, outcome: rows }];
    expect(recognize({ capabilities, probes })).toMatchObject({ dialect: 'skills-extension', state: 'failed' });
    const named = [{ probe: { kind: 'named-list' } as const, outcome: rows }];
    expect(recognize({ capabilities: { skills: {} }, probes: named })).toMatchObject({
      dialect: 'sep-2076',
      state: 'failed',
    });
  });
});
