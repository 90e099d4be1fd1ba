import { describe, expect, test } from 'vitest';
import { VerificationError } from '../../errors.ts';
import type { Approval } from '../../host/approve/approvals.ts';
import { requestsOf } from '../../host/approve/skill-requests.ts';
import { type CapturedEntry, captureEntry } from '../../host/load/capture.ts';
import { executableMetaKey, type SkillEntry } from '../../skill/entry.ts';
import { finding } from '../../skill/finding.ts';
import { type ApprovalOffer, offerJson, offerText } from './approval-offer.ts';
import { createColors } from './color.ts';
import { approvalStateJson, type ShownSkill, skillText } from './skill-text.ts';

const uri = 'skill://acme/pdf-tools/SKILL.md';
const script = 'skill://acme/pdf-tools/scripts/gr%C3%B6%C3%9Fe.sh';
const entry: SkillEntry = {
  uri,
  frontmatter: { name: 'pdf-tools', description: 'Merges\x1b PDF.', metadata: { v: 1 }, 'allowed-tools': 'Read Bash' },
  resources: [
    { uri, digest: `sha256:${'1'.repeat(64)}`, size: 100 },
    { uri: script, digest: `sha256:${'2'.repeat(64)}`, size: 2048 },
  ],
  _meta: { [executableMetaKey]: [script] },
};
const options = { colors: createColors(false), cwd: '/work', label: 'docs' };
const capture = (of: SkillEntry = entry): Promise<CapturedEntry> =>
  captureEntry({ label: 'docs', local: false }, uri, { entry: of, listed: true });

async function shown(over: Partial<ShownSkill> = {}): Promise<string> {
  const captured = over.captured ?? (await capture());
  const requests = requestsOf(captured.entry);
  const base = { captured, requests, approval: { state: 'none' }, findings: [], failures: [], fetched: true } as const;
  return skillText({ ...base, ...over }, options);
}

async function approval(): Promise<Approval> {
  const captured = await capture();
  const given = { by: 'person', reason: 'OPS-12\x07', at: '2026-11-15T10:00:00.000Z', lasting: true } as const;
  const grants = { execution: true, allowedTools: false };
  return {
    label: 'docs',
    uri,
    name: 'pdf-tools',
    entry,
    grants,
    hiddenSeen: false,
    ...given,
    setDigest: captured.setDigest ?? '',
  };
}

describe('skillText()', () => {
  test('names the form of a site, and files without digests', async () => {
    const partial = { reason: 'no-digest' as const, files: [{ uri }, { uri: script, size: 2048 }] };
    const source = { entry: { ...entry, resources: 'dynamic' as const }, partial, listed: true };
    const captured = await captureEntry({ label: 'docs', local: false }, uri, source);
    const base = {
      captured,
      requests: requestsOf(captured.entry),
      approval: { state: 'unverifiable' },
      findings: [],
      failures: [],
    } as const;
    const text = skillText({ ...base, fetched: true }, { ...options, dialect: 'well-known 0.1' });
    expect(text).toContain('\nform    well-known 0.1, verified: none\n');
    expect(text).toContain('2 files\n  SKILL.md  (no digest, no size)\n  scripts/größe.sh  2 KiB\n');
  });

  test('shows the head, other fields, files with full digests and requests', async () => {
    const text = await shown();
    expect(text).toMatch(
      /^pdf-tools\nMerges\\u\{1b\} PDF\.\n\nURI {5}skill:\/\/acme\/pdf-tools\/SKILL\.md\norigin {2}docs\nset {5}sha256:/,
    );
    expect(text).toContain('frontmatter\n  metadata: {"v":1}\n  allowed-tools: Read Bash\n');
    expect(text).toContain('2 files, 2.1 KiB\n');
    expect(text).toContain(`  scripts/größe.sh  2 KiB  x  sha256:${'2'.repeat(64)}\n`);
    expect(text).toContain('allowed-tools:\n    Read\n    Bash\n');
    expect(text).toContain('scripts: scripts/größe.sh\n');
    expect(text).toContain('approval\n  not approved\n');
  });

  test('shows what SKILL.md alone reveals', async () => {
    expect(await shown({ fetched: false })).toContain('use --fetch to read the other files');
    expect(await shown({ fetched: true })).not.toContain('--fetch');
  });

  test('distinguishes a valid approval from an outdated one', async () => {
    const given = await approval();
    const current = await shown({ approval: { state: 'current', approval: given } });
    expect(current).toContain(
      'approved, 2026-11-15T10:00:00.000Z by person: OPS-12\\u{7}\n  grants: loading, execution\n',
    );
    expect(await shown({ approval: { state: 'changed', approval: given } })).toContain('changed since approval');
    expect(await shown({ approval: { state: 'unverifiable' } })).toContain('lasts for one process');
  });

  test('shows what is unknown about a generated skill', async () => {
    const captured = await capture({ ...entry, resources: 'dynamic' });
    const text = await shown({ captured });
    expect(text).toContain('files (unknown)\n');
    expect(text).not.toContain('\nset ');
  });

  test('reports files that fail verification, and findings', async () => {
    const failures = [new VerificationError('digest', 'it has another digest\x1b')];
    const findings = [finding('skill-md-hidden-characters', 'hidden', { skill: uri })];
    const text = await shown({ failures, findings });
    expect(text).toContain('fails verification\n  digest  it has another digest\\u{1b}\n');
    expect(text).toContain('findings\n');
  });
});

describe('approvalStateJson()', () => {
  test('names who gave the approval', async () => {
    expect(approvalStateJson({ state: 'none' })).toEqual({ state: 'none' });
    expect(approvalStateJson({ state: 'current', approval: await approval() })).toMatchObject({
      state: 'current',
      recorded: { origin: 'docs', name: 'pdf-tools', grants: { execution: true, allowedTools: false } },
    });
  });
});

describe('offerText()', () => {
  async function offer(over: Partial<ApprovalOffer> = {}): Promise<ApprovalOffer> {
    const captured = await capture();
    const grants = { execution: false, allowedTools: false };
    const seen = { requests: requestsOf(entry), hidden: false, bytes: new Map(), texts: new Map() };
    return { captured, setDigest: captured.setDigest ?? '', grants, state: { state: 'none' }, ...seen, ...over };
  }

  test('lists requests that would not be granted', async () => {
    const none = offerText(await offer(), options);
    expect(none).toContain('Not granted: execution (add --execution)\n');
    expect(none).toContain('Not granted: tools (add --allowed-tools)\n');
    const all = offerText(await offer({ grants: { execution: true, allowedTools: true } }), options);
    expect(all).not.toContain('not granted');
  });

  test('shows the change instead of the files after an earlier approval', async () => {
    const nothing = { added: [], removed: [] };
    const lists = { allowedTools: nothing, executionFields: nothing, nested: nothing, newHosts: [], frontmatter: [] };
    const file = { uri: script, path: 'scripts/x.sh', script: true, executable: true, textKnown: false, sizeAfter: 1 };
    const change = { ...lists, added: [file], removed: [], changed: [], summary: ['a new script: scripts/x.sh'] };
    const text = offerText(await offer({ change }), options);
    expect(text).toContain('changed since approval\n  ! a new script: scripts/x.sh\n');
    expect(text).toContain('+++ current/scripts/x.sh\n');
    expect(text).not.toContain('PATH');
  });

  test('lists what needs approval for programs', async () => {
    expect(offerJson(await offer())).toMatchObject({ origin: 'docs', uri, name: 'pdf-tools', why: 'first' });
    expect(offerJson(await offer({ state: { state: 'changed' } }))).toMatchObject({ why: 'changed' });
    expect(offerJson(await offer({ state: { state: 'current' } }))).toMatchObject({ why: 'grants' });
  });
});
