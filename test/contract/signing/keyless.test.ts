/** Keyless signatures with the mock services of Sigstore on loopback: signed, verified offline, and forged. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Cli } from '../../../src/cli/cli.ts';
import { sign } from '../../../src/cli/commands/sign.ts';
import { ciToken, signKeyless, tokenIdentity } from '../../../src/signing/sign-keyless.ts';
import type { TrustedOf } from '../../../src/signing/signer.ts';
import { verifySignature } from '../../../src/signing/verify-signature.ts';
import { signerChangeText } from '../../../src/skill/signer-change.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type CliResult, runInProcess } from '../../run-in-process.ts';
import { changedBundle, digestOf, exampleFiles } from '../../signing/signed-files.ts';
import { identityToken, mockSigstore } from '../../signing/sigstore-services.ts';

const sigstore = await mockSigstore();
const other = await mockSigstore();
afterAll(() => {
  sigstore.close();
  other.close();
});

const claims = { iss: 'https://issuer.example', sub: 'https://ci.example/acme/release@refs/heads/main' };
const token = identityToken(claims);
const signer: TrustedOf<'keyless'> = { name: 'ci', kind: 'keyless', issuer: claims.iss, identity: claims.sub };
const trust = { signers: [signer], at: new Date(), sigstoreRoot: sigstore.trustedRoot };
const content = { files: exampleFiles, ignored: [] };
const signature = await signKeyless('example', content, { token, services: sigstore });

describe('keyless signatures', () => {
  verifies(['SG-18'], 'verify offline for exactly their issuer and identity', async () => {
    expect(await verifySignature({ files: exampleFiles, signature }, trust)).toMatchObject({
      state: 'signed',
      signer: { names: ['ci'], identity: { kind: 'keyless', issuer: claims.iss, identity: claims.sub } },
    });
    const others: readonly Partial<TrustedOf<'keyless'>>[] = [
      { identity: claims.sub.slice(0, -1) },
      { identity: `${claims.sub}x` },
      { identity: claims.sub.toUpperCase() },
      { identity: '.*' },
      { identity: '' },
      { issuer: 'https://issuer.example.org' },
      { issuer: '' },
    ];
    for (const change of others) {
      const verdict = await verifySignature(
        { files: exampleFiles, signature },
        { ...trust, signers: [{ ...signer, ...change }] },
      );
      expect(verdict).toMatchObject({ state: 'untrusted', step: 'trust' });
    }
    const ref = { identity: 'https://ci.example/acme/release', ref: 'refs/heads/*' };
    const byRef = { ...trust, signers: [{ ...signer, ...ref }] };
    expect(await verifySignature({ files: exampleFiles, signature }, byRef)).toMatchObject({ state: 'signed' });
  });

  verifies(['SG-3', 'SG-9'], 'of another Sigstore, or changed in any part, are invalid', async () => {
    const foreign = { ...trust, sigstoreRoot: other.trustedRoot };
    expect(await verifySignature({ files: exampleFiles, signature }, foreign)).toMatchObject({
      state: 'invalid',
      step: 'chain',
    });
    // The public services know nothing of it.
    const { sigstoreRoot: _, ...shipped } = trust;
    expect(await verifySignature({ files: exampleFiles, signature }, shipped)).toMatchObject({ state: 'invalid' });
    const stranger = await signKeyless('example', content, { token, services: other });
    const parsed = JSON.parse(Buffer.from(stranger).toString());
    const changes: readonly (readonly [string, Parameters<typeof changedBundle>[1]])[] = [
      ['payload', (it) => Object.assign(it.dsseEnvelope, { payload: Buffer.from('{}').toString('base64') })],
      ['signature', (it) => Object.assign(it.dsseEnvelope, { signatures: parsed.dsseEnvelope.signatures })],
      [
        'certificate',
        (it) => Object.assign(it.verificationMaterial, { certificate: parsed.verificationMaterial.certificate }),
      ],
      [
        'log entry',
        (it) => Object.assign(it.verificationMaterial, { tlogEntries: parsed.verificationMaterial.tlogEntries }),
      ],
      ['time', (it) => Object.assign(it.verificationMaterial.tlogEntries[0], { integratedTime: '1' })],
    ];
    for (const [name, change] of changes) {
      const verdict = await verifySignature(
        { files: exampleFiles, signature: changedBundle(signature, change) },
        trust,
      );
      expect([name, verdict.state]).toEqual([name, 'invalid']);
    }
  });

  verifies(['SG-15'], 'over other files are a mismatch', async () => {
    const files = new Map([...exampleFiles, ['SKILL.md', `sha256:${'0'.repeat(64)}`]]);
    expect(await verifySignature({ files, signature }, trust)).toMatchObject({
      state: 'mismatch',
      coverage: { changed: ['SKILL.md'] },
    });
  });

  verifies(['SG-20'], 'a job on another class of machine, or of another repository, is another signer', async () => {
    const signedBy = async (job: Readonly<Record<string, string>>) => {
      const services = { token: identityToken({ ...claims, ...job }), services: sigstore };
      const bytes = await signKeyless('example', content, services);
      return verifySignature({ files: exampleFiles, signature: bytes }, trust);
    };
    const hosted = { runner_environment: 'github-hosted', repository: 'acme/skills' };
    const first = await signedBy(hosted);
    if (first.state !== 'signed') throw new Error(`not signed, but ${first.state}`);
    const { identity } = first.signer;
    expect(identity).toEqual({
      kind: 'keyless',
      issuer: claims.iss,
      identity: claims.sub,
      runner: 'github-hosted',
      repository: 'https://github.com/acme/skills',
    });
    expect(signerChangeText(identity, await signedBy(hosted))).toBeUndefined();
    const others: readonly Readonly<Record<string, string>>[] = [
      { ...hosted, runner_environment: 'self-hosted' },
      { ...hosted, repository: 'mallory/skills' },
      { repository: 'acme/skills' },
      { runner_environment: 'github-hosted' },
    ];
    for (const job of others) expect(signerChangeText(identity, await signedBy(job))).toContain('the signer changed');
    expect(signerChangeText(identity, await signedBy({ ...hosted, runner_environment: 'self-hosted' }))).toContain(
      `to ${claims.sub} (${claims.iss}, self-hosted, for https://github.com/acme/skills)`,
    );
  });

  test('the identity of a token is that of the certificate', () => {
    expect(tokenIdentity(token)).toEqual({ issuer: claims.iss, identity: claims.sub });
    const workflow = identityToken({
      ...claims,
      job_workflow_ref: 'acme/skills/.github/workflows/release.yml@refs/heads/main',
    });
    expect(tokenIdentity(workflow)?.identity).toBe(
      'https://github.com/acme/skills/.github/workflows/release.yml@refs/heads/main',
    );
    for (const wrong of ['', 'x.y.z', 'x', identityToken({ sub: 'x' })]) expect(tokenIdentity(wrong)).toBeUndefined();
  });

  test('GitHub Actions gives a job its token', async () => {
    const requests: (string | undefined)[] = [];
    const server = createServer((request, answer) => {
      requests.push(request.url, request.headers.authorization);
      answer.setHeader('content-type', 'application/json').end(JSON.stringify({ value: token }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const job = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?job=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret',
    };
    const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret } = process.env;
    try {
      Object.assign(process.env, job);
      expect(await ciToken(job)).toBe(token);
      expect(requests).toEqual(['/token?job=1&audience=sigstore', 'Bearer secret']);
    } finally {
      for (const [name, value] of Object.entries({
        ACTIONS_ID_TOKEN_REQUEST_URL: url,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret,
      }))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      server.closeAllConnections();
      server.close();
    }
    await expect(ciToken({ ACTIONS_ID_TOKEN_REQUEST_URL: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });

  test('a service that refuses is reported', async () => {
    const services = { ...sigstore, fulcioUrl: `${sigstore.fulcioUrl}/none` };
    await expect(signKeyless('example', content, { token, services })).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('skillwire sign --keyless', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'skillwire-keyless-'));
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));
  const run = (env: Readonly<Record<string, string>>, ...argv: string[]): Promise<CliResult> =>
    runInProcess(['sign', './skills', ...argv], { cwd, env: { SKILLWIRE_HOME: join(cwd, 'home'), ...env } });
  mkdirSync(join(cwd, 'skills/example'), { recursive: true });
  writeFileSync(join(cwd, 'skills/example/SKILL.md'), '---\nname: example\ndescription: An example.\n---\n\nText.\n');
  const file = join(cwd, 'skills/example/skill.oms.sig');

  test('needs a token, and either a key or an identity', async () => {
    expect(await run({}, '--keyless')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('SIGSTORE_ID_TOKEN'),
    });
    const given = { SIGSTORE_ID_TOKEN: token };
    const either = { exitCode: 2, stderr: expect.stringContaining('either --key FILE or --keyless') };
    expect(await run(given)).toMatchObject(either);
    expect(await run(given, '--keyless', '--key', 'team.key')).toMatchObject(either);
    expect(await run(given, '--keyless', '--certificate', 'chain.pem')).toMatchObject({ exitCode: 2 });
    expect(existsSync(file)).toBe(false);
  });

  test('signs with the identity of the job, and leaves a current signature as it is', async () => {
    const written: string[] = [];
    const stream = { write: (text: string) => written.push(text) > 0 };
    const cli = { cwd, env: { SIGSTORE_ID_TOKEN: token }, stdout: stream, stderr: stream } as unknown as Cli;
    const services = { ...sigstore, sigstoreRoot: sigstore.trustedRoot };
    const signAgain = () => sign('./skills', { keyless: true, json: true } as never, cli, services);
    expect(await signAgain()).toBe(0);
    const before = readFileSync(file);
    const files = new Map([['SKILL.md', digestOf(readFileSync(join(cwd, 'skills/example/SKILL.md'), 'utf8'))]]);
    expect(await verifySignature({ files, signature: before }, trust)).toMatchObject({ state: 'signed' });
    expect(JSON.parse(written.join(''))).toMatchObject({ identity: claims.sub, skills: [{ state: 'signed' }] });
    expect(await signAgain()).toBe(0);
    expect(readFileSync(file)).toEqual(before);
    // Another job of the same CI system signs again.
    const otherJob = {
      ...cli,
      env: { SIGSTORE_ID_TOKEN: identityToken({ ...claims, sub: 'https://ci.example/other' }) },
    };
    expect(await sign('./skills', { keyless: true } as never, otherJob as Cli, services)).toBe(0);
    expect(readFileSync(file)).not.toEqual(before);
  });
});
