import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findingRules } from '../../src/skill/finding-rules.ts';
import { archiveRules } from '../requirements/archives.ts';
import { dialectConflicts } from '../requirements/dialect-conflicts.ts';
import { dialectForms } from '../requirements/dialect-forms.ts';
import { identityRules } from '../requirements/identity.ts';
import type { Requirement } from '../requirements/requirement.ts';
import { runtimeHub } from '../requirements/runtime-hub.ts';
import { sep2640Host } from '../requirements/sep-2640-host.ts';
import { sep2640Server } from '../requirements/sep-2640-server.ts';
import { signingRules } from '../requirements/signing.ts';
import { wellKnownV01, wellKnownV02 } from '../requirements/well-known.ts';

const all: readonly Requirement[] = [
  ...sep2640Server,
  ...sep2640Host,
  ...signingRules,
  ...identityRules,
  ...wellKnownV02,
  ...wellKnownV01,
  ...archiveRules,
  ...runtimeHub,
  ...dialectConflicts,
  ...dialectForms,
];
const roots = ['src', 'test/contract', 'test/e2e'].map((folder) => join(import.meta.dirname, '../..', folder));

/** Ids in the first argument of each `verifies([...], ...)`. */
function citedIds(): Set<string> {
  const cited = new Set<string>();
  for (const root of roots)
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.test.ts')) continue;
      const text = readFileSync(join(root, name), 'utf8');
      for (const [, list] of text.matchAll(/\bverifies\(\s*\[([^\]]*)\]/g))
        for (const [, id] of (list ?? '').matchAll(/'([^']+)'/g)) if (id !== undefined) cited.add(id);
    }
  return cited;
}

test('some test expects every rule of findings', () => {
  // Raised only by a failure inside the scan that no input is known to cause.
  const safetyNets = new Set(['scan-failed']);
  const texts = [join(import.meta.dirname, '../../src'), join(import.meta.dirname, '..')].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.test\.ts$|unusual-\w+\.ts$/.test(name) && !name.includes('node_modules'))
      .map((name) => readFileSync(join(root, name), 'utf8')),
  );
  const unexpected = Object.keys(findingRules).filter(
    (rule) => !texts.some((text) => new RegExp(`'${rule}[' ]`).test(text)),
  );
  expect(unexpected.filter((rule) => !safetyNets.has(rule))).toEqual([]);
});

test('ids are unique', () => {
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
});

test('every requirement is cited by a test or marked as advice with a reason', () => {
  const cited = citedIds();
  const uncited = all.filter(({ id, advice }) => advice === undefined && !cited.has(id)).map(({ id }) => id);
  expect(uncited).toEqual([]);
});

test('no test cites a requirement that does not exist or is only advice', () => {
  const testable = new Set(all.filter(({ advice }) => advice === undefined).map(({ id }) => id));
  expect([...citedIds()].filter((id) => !testable.has(id))).toEqual([]);
});

test('every requirement that a dialect checks exists', () => {
  const folder = join(import.meta.dirname, '../../src/dialects');
  const known = new Set(all.map(({ id }) => id));
  const named = new Set<string>();
  // Losses of a dialect have ids of their own.
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('losses.ts'))
      for (const [, id] of readFileSync(join(folder, name), 'utf8').matchAll(
        /'([SHC]-\d+|[a-z0-9]+:[a-z][a-z0-9-]+)'/g,
      ))
        if (id !== undefined && !id.startsWith('node:')) named.add(id);
  expect(named.size).toBeGreaterThan(20);
  expect([...named].filter((id) => !known.has(id))).toEqual([]);
});
