/** Rules about signatures on a server: who must have signed, and what a changed signer means. Real stores and sources, real signatures. */
import { createHash } from 'node:crypto';
import { afterEach, describe, expect } from 'vitest';
import { createCatalog } from '../../../src/catalog/create-catalog.ts';
import { freshCatalog } from '../../../src/catalog/fresh-catalog.ts';
import type { ServingPolicy } from '../../../src/policy/serving-policy.ts';
import { createSignatureRules } from '../../../src/policy/signature-rules.ts';
import { readWaiting } from '../../../src/serving/waiting-queue.ts';
import { parseCertificate } from '../../../src/signing/certificate.ts';
import { type SigningKey, signSkill } from '../../../src/signing/sign-skill.ts';
import { createSignatureBook } from '../../../src/signing/signature-book.ts';
import type { TrustedSigner } from '../../../src/signing/signer.ts';
import type { SignerIdentity } from '../../../src/skill/signer-identity.ts';
import { memorySource } from '../../../src/sources/memory.ts';
import type { SkillSource } from '../../../src/sources/skill-source.ts';
import { readApproval } from '../../../src/store/decisions/approval.ts';
import { addDenial } from '../../../src/store/decisions/restrictions.ts';
import { seenSignatures } from '../../../src/store/decisions/seen-signatures.ts';
import { nodeDigest } from '../../../src/store/embedded/node-digest.ts';
import { memoryStore } from '../../../src/store/memory-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { underLabel } from '../../../src/transforms/under-label.ts';
import { approvalValue } from '../../approved-skill.ts';
import { eventually } from '../../eventually.ts';
import { policedServing } from '../../policed-serving.ts';
import { verifies } from '../../requirements/verifies.ts';
import { makeCertificate } from '../../signing/made-chain.ts';
import { makeKey } from '../../signing/signed-files.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

type Files = Readonly<Record<string, string | Uint8Array>> & { readonly 'SKILL.md': string };

const team = makeKey('team');
const stranger = makeKey('stranger');
const textOf = (name: string, body = ''): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${body}`;
const uri = (name: string): string => `skill://${name}/SKILL.md`;
const served = (name: string): string => `skill://docs/${name}/SKILL.md`;

function signed(files: Files, key: SigningKey, ignored: readonly string[] = []): Files {
  const digests = Object.entries(files).map(([path, content]): [string, string] => [
    path,
    `sha256:${createHash('sha256').update(content).digest('hex')}`,
  ]);
  return { ...files, 'skill.oms.sig': signSkill('skill', { files: new Map(digests), ignored }, key) };
}

const byTeam = (name: string, body = ''): Files => signed({ 'SKILL.md': textOf(name, body) }, { key: team.privateKey });

interface Options {
  readonly signers?: readonly TrustedSigner[];
  readonly now?: () => Date;
  readonly store?: Store;
  readonly wrap?: (source: SkillSource) => SkillSource;
}

async function server(skills: Readonly<Record<string, Files>>, policy: ServingPolicy, options: Options = {}) {
  const { signers = [team.signer], now, store = memoryStore(), wrap = (source) => source } = options;
  const source = memorySource(skills);
  const book = createSignatureBook({
    signers,
    digest: nodeDigest,
    seen: seenSignatures(async () => store.state),
    ...(now === undefined ? {} : { now }),
  });
  const errors: Error[] = [];
  const { serving, police } = policedServing(store, policy, (error) => errors.push(error), undefined, book);
  const policed = police(wrap(source), 'docs');
  const catalog = freshCatalog(createCatalog(underLabel(policed, 'docs')), () => serving.fresh());
  cleanUp.push(() => catalog.close());
  return {
    store,
    source,
    book,
    serving,
    catalog,
    uris: async () => (await catalog.snapshot()).skills.map(({ entry }) => entry.uri),
    read: async (name: string, file = 'SKILL.md') =>
      Buffer.from((await catalog.read(`skill://docs/${name}/${file}`, {})).bytes).toString(),
    why: async (name: string) => {
      const rows = await readWaiting(store.state, 'docs');
      return rows.find((row) => row.name === name);
    },
    async approve(name: string, signer?: SignerIdentity) {
      const skill = await source.get(uri(name), {});
      if (skill === undefined || skill.entry.resources === 'dynamic') throw new Error('cannot be approved');
      for (const file of skill.entry.resources)
        await store.blobs.put(file.digest, (await source.open(file.uri, {}))?.bytes ?? new Uint8Array());
      const value = (await approvalValue('docs', skill.entry)) as Record<string, never>;
      const stored = signer === undefined ? value : { ...value, signer: { ...signer } };
      expect(await readApproval(['approval', 'docs', uri(name)], stored)).toBeDefined();
      await store.state.set(['approval', 'docs', uri(name)], stored);
    },
  };
}

const required: ServingPolicy = { signatures: [{ require: ['team'] }] };
const teamKey: SignerIdentity = { kind: 'key', key: team.signer.key.id };

describe('rules about signatures on a server', () => {
  verifies(['SG-11', 'SG-14', 'SG-15', 'SG-17', 'SG-23'], 'only completely signed skills are served', async () => {
    const good = byTeam('good');
    const other = byTeam('other');
    const hides = signed({ 'SKILL.md': textOf('ignored') }, { key: team.privateKey }, ['extra']);
    const made = await server(
      {
        good,
        none: { 'SKILL.md': textOf('none') },
        stale: { ...byTeam('stale'), 'SKILL.md': textOf('stale', 'changed') },
        extra: { ...byTeam('extra'), 'run.sh': 'echo\n' },
        ignored: { ...hides, 'extra/run.sh': 'echo\n' },
        swapped: { 'SKILL.md': textOf('swapped'), 'skill.oms.sig': other['skill.oms.sig'] ?? '' },
        theirs: signed({ 'SKILL.md': textOf('theirs') }, { key: stranger.privateKey }),
        broken: { 'SKILL.md': textOf('broken'), 'skill.oms.sig': '{' },
      },
      required,
    );
    expect(await made.uris()).toEqual([served('good')]);
    expect(await made.read('good')).toContain('About good');
    await expect(made.read('stale')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    const reasons = {
      none: 'unsigned',
      stale: 'mismatch (step content)',
      extra: 'partial (step content)',
      ignored: 'partial (step content)',
      swapped: 'mismatch (step content)',
      theirs: 'untrusted (step trust)',
      broken: 'invalid (step file)',
    };
    for (const [name, text] of Object.entries(reasons))
      await eventually(async () => {
        expect(await made.why(name)).toMatchObject({ state: 'denied', by: 'rule' });
        expect((await made.why(name))?.reason).toContain(`it must be signed by team: ${text}`);
      });
  });

  verifies(
    ['SG-18', 'SG-23'],
    'the first matching rule applies, on every path, and an exemption is explicit',
    async () => {
      const skills = { 'free/tool': { 'SKILL.md': textOf('tool') }, paid: { 'SKILL.md': textOf('paid') } };
      const rules = (...signatures: NonNullable<ServingPolicy['signatures']>): ServingPolicy => ({ signatures });
      const cases: readonly (readonly [ServingPolicy, readonly string[]])[] = [
        [rules({ match: 'free/', require: [] }, { require: ['team'] }), ['skill://docs/free/tool/SKILL.md']],
        [rules({ require: ['team'] }, { match: 'free/', require: [] }), []],
        [rules({ origin: 'other', require: ['team'] }), ['skill://docs/free/tool/SKILL.md', served('paid')]],
        [rules({ origin: 'docs', match: 'paid', require: ['team'] }), ['skill://docs/free/tool/SKILL.md']],
        [rules({ require: [] }), ['skill://docs/free/tool/SKILL.md', served('paid')]],
        [rules(), ['skill://docs/free/tool/SKILL.md', served('paid')]],
      ];
      for (const [policy, expected] of cases) expect(await (await server(skills, policy)).uris()).toEqual(expected);
      // One path is exempt, another is not: the stricter rule counts.
      const { fault } = createSignatureRules([
        { match: 'free/', require: [] },
        { match: 'paid/', require: ['team'] },
      ]);
      const unsigned = { state: 'unsigned', signers: [], unserved: false, expired: false, text: 'unsigned' } as const;
      const place = { origin: 'docs', paths: ['docs/free/x', 'docs/paid/x'] };
      expect(fault(place, unsigned)).toContain('it must be signed by team');
      expect(fault({ ...place, paths: ['docs/free/x'] }, unsigned)).toBeUndefined();
      expect(fault({ ...place, paths: ['/paid'] }, unsigned)).toContain('it must be signed by team');
    },
  );

  verifies(['SG-24'], 'a signature approves nothing and lifts no denial', async () => {
    const made = await server({ good: byTeam('good') }, { ...required, mode: 'approved-only' });
    expect(await made.uris()).toEqual([]);
    await made.approve('good', teamKey);
    expect(await made.uris()).toEqual([served('good')]);
    await addDenial(made.store, 'match', 'docs/good', 'INC-7');
    expect(await made.uris()).toEqual([]);
    // And an approval does not replace a signature.
    const unsigned = await server({ none: { 'SKILL.md': textOf('none') } }, { ...required, mode: 'approved-only' });
    await unsigned.approve('none');
    expect(await unsigned.uris()).toEqual([]);
  });

  verifies(
    ['SG-20'],
    'a version of another signer waits, even in open mode, while the approved one is served',
    async () => {
      const signers = [team.signer, stranger.signer];
      const versions: readonly (readonly [string, Files, string])[] = [
        [
          'another signer',
          signed({ 'SKILL.md': textOf('tool', 'new') }, { key: stranger.privateKey }),
          'changed from key',
        ],
        ['unsigned', { 'SKILL.md': textOf('tool', 'new') }, 'this version is unsigned'],
        ['stale', { ...byTeam('tool'), 'SKILL.md': textOf('tool', 'new') }, 'this version is mismatch'],
        ['weaker', { ...byTeam('tool', 'new'), more: 'x' }, 'this version is partial'],
      ];
      for (const [, next, reason] of versions) {
        const made = await server({ tool: byTeam('tool', 'old') }, {}, { signers });
        await made.approve('tool', teamKey);
        expect(await made.read('tool')).toContain('old');
        made.source.add('tool', next);
        await eventually(async () => {
          expect(await made.why('tool')).toMatchObject({ state: 'waiting', change: 'changed' });
          expect((await made.why('tool'))?.reason).toContain(reason);
        });
        expect(await made.read('tool')).toContain('old');
        // A new version of the same signer is served.
        made.source.add('tool', byTeam('tool', 'newer'));
        await eventually(async () => expect(await made.read('tool')).toContain('newer'));
      }
    },
  );

  verifies(['SG-7', 'SG-20'], 'a new signature alone keeps an approval only if a rule accepts it', async () => {
    for (const resigned of ['ask', 'accept'] as const) {
      const signers = [team.signer, stranger.signer];
      const policy: ServingPolicy = {
        mode: 'approved-only',
        signatures: [{ require: ['team', 'stranger'], resigned }],
      };
      const first = byTeam('tool', 'text');
      const made = await server({ tool: first }, policy, { signers });
      await made.approve('tool', teamKey);
      expect(await made.read('tool', 'skill.oms.sig')).toBe(Buffer.from(first['skill.oms.sig'] ?? '').toString());
      const again = byTeam('tool', 'text');
      made.source.add('tool', again);
      const expected = resigned === 'accept' ? again : first;
      await eventually(async () =>
        expect(await made.read('tool', 'skill.oms.sig')).toBe(Buffer.from(expected['skill.oms.sig'] ?? '').toString()),
      );
      if (resigned === 'ask')
        await eventually(async () => expect(await made.why('tool')).toMatchObject({ state: 'waiting' }));
      // The same content by another signer, or other content by the same one, always waits.
      for (const next of [
        signed({ 'SKILL.md': textOf('tool', 'text') }, { key: stranger.privateKey }),
        byTeam('tool', 'other'),
      ]) {
        made.source.add('tool', next);
        await eventually(async () =>
          expect(await made.why('tool')).toMatchObject({ state: 'waiting', change: 'changed' }),
        );
        expect(await made.read('tool')).toContain('text');
      }
    }
  });

  verifies(
    ['SG-10'],
    'an expired certificate is refused with the next request, unless the content was seen before',
    async () => {
      const root = await makeCertificate({ subject: 'CN=Root' });
      const leaf = await makeCertificate({ subject: 'CN=S,O=Acme', notAfter: new Date('2027-06-01') }, root);
      const key = { key: leaf.privateKey, chain: [leaf, root].map(({ der }) => parseCertificate(der)) };
      const signers: TrustedSigner[] = [
        { name: 'acme', kind: 'certificate', roots: [parseCertificate(root.der)], subject: { O: 'Acme' } },
      ];
      for (const expired of ['refuse', 'first-seen'] as const) {
        let time = new Date('2027-01-01');
        const policy: ServingPolicy = { signatures: [{ require: ['acme'], expired }] };
        const made = await server({ tool: signed({ 'SKILL.md': textOf('tool') }, key) }, policy, {
          signers,
          now: () => time,
        });
        expect(await made.uris()).toEqual([served('tool')]);
        time = new Date('2027-07-01');
        await eventually(async () => expect(await made.uris()).toEqual(expired === 'refuse' ? [] : [served('tool')]));
        made.source.add('late', signed({ 'SKILL.md': textOf('late') }, key));
        await eventually(async () => expect((await made.why('late'))?.reason).toContain('check C6'));
        expect(await made.uris()).toEqual(expired === 'refuse' ? [] : [served('tool')]);
      }
    },
  );

  verifies(['SG-22'], 'a compromised key voids everything, a retired one keeps what was seen before', async () => {
    const store = memoryStore();
    const now = () => new Date('2027-01-01');
    const before = await server({ tool: byTeam('tool') }, required, { store, now });
    expect(await before.uris()).toEqual([served('tool')]);
    for (const [reason, expected] of [
      ['retired', [served('tool')]],
      ['compromised', []],
    ] as const) {
      const signers = [{ ...team.signer, revoked: { at: new Date('2027-02-01'), reason } }];
      const later = { store, signers, now: () => new Date('2027-03-01') };
      const made = await server({ tool: byTeam('tool'), fresh: byTeam('fresh') }, required, later);
      expect(await made.uris()).toEqual(expected);
    }
  });

  verifies(['SG-22'], 'a running server notices that a key retires, and keeps what it served before', async () => {
    let time = new Date('2027-01-01');
    const signers = [{ ...team.signer, revoked: { at: new Date('2027-02-01'), reason: 'retired' } as const }];
    const made = await server({ tool: byTeam('tool') }, required, { signers, now: () => time });
    expect(await made.uris()).toEqual([served('tool')]);
    time = new Date('2027-02-02');
    made.source.add('late', byTeam('late'));
    await eventually(async () => expect((await made.why('late'))?.reason).toContain('was revoked (retired)'));
    expect(await made.uris()).toEqual([served('tool')]);
  });

  verifies(['SG-16', 'SG-25'], 'the signature is read once, and reading served files reads no signature', async () => {
    const opened: string[] = [];
    const files = byTeam('good');
    const wrap = (source: SkillSource): SkillSource => ({
      ...source,
      open: (file, context) => {
        opened.push(file);
        return source.open(file, context);
      },
    });
    const made = await server({ good: files }, required, { wrap });
    for (let round = 0; round < 3; round++) {
      await made.uris();
      expect(await made.read('good')).toBe(files['SKILL.md']);
    }
    expect(opened.filter((file) => file.endsWith('skill.oms.sig'))).toHaveLength(1);
    expect(await made.read('good', 'skill.oms.sig')).toBe(Buffer.from(files['skill.oms.sig'] ?? '').toString());
    // Other bytes under the same promise are never served.
    made.book.use([]);
    made.serving.use({ ...required });
    expect(await made.uris()).toEqual([]);
  });
});
