/** The workflows of this repository: pinned actions, few permissions, and a gate before each release. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = new URL('../../', import.meta.url);
const folder = new URL('.github/workflows/', root);
const files = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
const textOf = (file: string): string => readFileSync(fileURLToPath(new URL(file, folder)), 'utf8');
const workflow = (file: string): Workflow => load(textOf(file)) as Workflow;
const { scripts } = JSON.parse(readFileSync(fileURLToPath(new URL('package.json', root)), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

test('there are workflows', () => {
  expect(files).toEqual(expect.arrayContaining(['ci.yml', 'release.yml']));
});

describe.each(files)('%s', (file) => {
  const { permissions, jobs } = workflow(file);
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);
  const runs = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

  test('uses actions by commit, with the version in a comment', () => {
    for (const line of textOf(file).split('\n')) {
      const [, action] = /^\s*-? *uses: (.+)$/.exec(line) ?? [];
      if (action === undefined || action.startsWith('./')) continue;
      expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  test('reads by default, and only jobs that publish can prove their identity', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const [name, job] of Object.entries(jobs)) {
      const own = name === 'publish' ? { contents: 'read', 'id-token': 'write' } : undefined;
      expect(job.permissions, name).toEqual(own);
    }
  });

  test('leaves no credentials in the checkout', () => {
    for (const { uses, with: options } of steps)
      if (uses?.startsWith('actions/checkout@')) expect(options?.['persist-credentials']).toBe(false);
  });

  test('installs without scripts of dependencies', () => {
    for (const run of runs) if (/\bnpm (?:ci|install|publish)\b/.test(run)) expect(run).toContain('--ignore-scripts');
  });

  test('runs existing scripts, without outside text in them', () => {
    for (const run of runs) {
      const [, script] = /\bnpm run (?:--\S+ )*([\w:-]+)/.exec(run) ?? [];
      if (script !== undefined) expect(Object.keys(scripts)).toContain(script);
      expect(run).not.toContain('${{');
    }
  });

  test('has a time limit', () => {
    for (const job of Object.values(jobs))
      expect(job.uses !== undefined || (job['timeout-minutes'] ?? 0) > 0).toBe(true);
  });
});

test('a version is published from its tag, after the gate, with provenance', () => {
  const { on, jobs } = workflow('release.yml');
  expect(on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
  expect(jobs['gate']?.uses).toBe('./.github/workflows/ci.yml');
  expect(Object.keys(workflow('ci.yml').on)).toContain('workflow_call');
  const { needs, environment, steps = [] } = jobs['publish'] ?? {};
  expect([needs, environment]).toEqual(['gate', 'npm']);
  const runs = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
  expect(runs.at(-1)).toBe('npm publish --provenance --access public --ignore-scripts');
  expect(runs).toContain('npm run advisories -- --required');
  expect(runs).toContain('npm run build');
  expect(runs.indexOf('npm run release:check')).toBeGreaterThan(runs.indexOf('npm run build'));
});
