import { createPrivateKey } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { signSkill } from '../../../src/signing/sign-skill.ts';
import { nodeDigest } from '../../../src/store/embedded/node-digest.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type CliResult, runInProcess } from '../../run-in-process.ts';
import { makeCertificate, usage } from '../../signing/made-chain.ts';

const top = mkdtempSync(join(tmpdir(), 'skillwire-sign-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

let cwd = '';
let count = 0;
beforeEach(() => {
  cwd = join(top, String(count++));
  write('skills/example/SKILL.md', '---\nname: example\ndescription: An example of a skill.\n---\n\nText.\n');
  write('skills/example/scripts/run.sh', 'echo hello\n');
  write('skills/example/.env', 'SECRET=1\n');
});

function write(path: string, text: string): void {
  mkdirSync(join(cwd, path, '..'), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

function run(...argv: string[]): Promise<CliResult> {
  return runInProcess(argv, { cwd, env: { SKILLWIRE_HOME: join(cwd, 'home'), PASSPHRASE: 'correct horse' } });
}

const signature = 'skills/example/skill.oms.sig';
const verify = (...more: string[]): Promise<CliResult> =>
  run('verify', './skills', '--signer', 'skillwire.key.pub', ...more);

describe('commands about signatures', () => {
  test('keygen, sign and verify', async () => {
    const made = await run('keygen');
    expect(made).toMatchObject({ exitCode: 0 });
    if (process.platform !== 'win32') expect(statSync(join(cwd, 'skillwire.key')).mode & 0o777).toBe(0o600);
    expect(await run('keygen')).toMatchObject({ exitCode: 2 });
    expect(await verify()).toMatchObject({ exitCode: 7, stdout: expect.stringContaining('unsigned') });
    expect(await run('sign', './skills', '--key', 'skillwire.key')).toMatchObject({ exitCode: 0 });
    expect(await verify('--verbose')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('2 of 2 served files'),
    });
    const before = readFileSync(join(cwd, signature));
    expect(await run('sign', './skills', '--key', 'skillwire.key')).toMatchObject({
      stdout: expect.stringContaining('unchanged'),
    });
    expect(readFileSync(join(cwd, signature))).toEqual(before);
    const statement = JSON.parse(Buffer.from(JSON.parse(before.toString()).dsseEnvelope.payload, 'base64').toString());
    expect(statement.predicate.serialization.ignore_paths).toEqual(['.env', 'skill.oms.sig']);
    const json = JSON.parse((await verify('--json')).stdout);
    expect(json).toMatchObject({
      version: 1,
      exitCode: 0,
      signed: 1,
      skills: [{ content: expect.stringMatching(/^sha256:/), signature: { state: 'signed' } }],
    });
  });

  verifies(['SG-15'], 'a stale signature is found by verify, validate and build --check', async () => {
    await run('keygen');
    await run('sign', './skills', '--key', 'skillwire.key');
    await run('build', './skills', '--out', 'site');
    expect(await run('build', './skills', '--out', 'site', '--check')).toMatchObject({ exitCode: 0 });
    expect((await run('validate', './skills', '--json')).stdout).not.toContain('signature-');
    appendFileSync(join(cwd, 'skills/example/SKILL.md'), 'one more line\n');
    expect(await verify()).toMatchObject({ exitCode: 7, stdout: expect.stringContaining('changed: SKILL.md') });
    const validated = await run('validate', './skills', '--json');
    expect(validated.exitCode).toBe(1);
    expect(JSON.parse(validated.stdout).findings).toContainEqual(expect.objectContaining({ rule: 'signature-stale' }));
    await run('build', './skills', '--out', 'site');
    const checked = await run('build', './skills', '--out', 'site', '--check');
    expect(checked).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('changed: SKILL.md') });
    await run('sign', './skills', '--key', 'skillwire.key');
    expect(await verify()).toMatchObject({ exitCode: 0 });
  });

  test('a broken signature file is found by validate', async () => {
    write(signature, '{}');
    const { stdout, exitCode } = await run('validate', './skills', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).findings).toContainEqual(expect.objectContaining({ rule: 'signature-unusable' }));
  });

  test('another key, and a file that was added, are distinguished', async () => {
    await run('keygen');
    await run('keygen', '--out', 'other.key', '--passphrase-env', 'PASSPHRASE');
    expect(readFileSync(join(cwd, 'other.key'), 'utf8')).toContain('ENCRYPTED');
    expect(await run('sign', './skills', '--key', 'other.key')).toMatchObject({ exitCode: 2 });
    const signed = await run('sign', './skills', '--key', 'other.key', '--passphrase-env', 'PASSPHRASE');
    expect(signed).toMatchObject({ exitCode: 0 });
    expect(await verify()).toMatchObject({ exitCode: 7, stdout: expect.stringContaining('untrusted (step trust)') });
    await run('sign', './skills', '--key', 'skillwire.key');
    write('skills/example/extra.md', 'extra');
    expect(await verify()).toMatchObject({ exitCode: 7, stdout: expect.stringContaining('partial (step content)') });
  });

  test('a certificate below a root', async () => {
    const root = await makeCertificate({ subject: 'CN=Root' });
    const middle = await makeCertificate({ subject: 'CN=Middle', extensions: usage.authority(0) }, root);
    const leaf = await makeCertificate({ subject: 'CN=Signer,O=Acme Inc' }, middle);
    write('leaf.key', leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    write('chain.pem', [leaf.pem, middle.pem, root.pem].join('\n'));
    write('wrong.pem', [middle.pem, root.pem].join('\n'));
    write('root.pem', root.pem);
    const sign = (chain: string) => run('sign', './skills', '--key', 'leaf.key', '--certificate', chain);
    expect(await sign('wrong.pem')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('another key') });
    expect(await sign('chain.pem')).toMatchObject({ exitCode: 0 });
    expect(await sign('chain.pem')).toMatchObject({ stdout: expect.stringContaining('unchanged') });
    const check = (...subject: string[]) => run('verify', './skills', '--signer', 'root.pem', ...subject);
    expect(await check('--subject', 'O=Acme Inc')).toMatchObject({ exitCode: 0 });
    expect(await check('--subject', 'O=Acme')).toMatchObject({ exitCode: 7 });
    expect(await check()).toMatchObject({ exitCode: 2 });
    expect(await check('--subject', 'O=')).toMatchObject({ exitCode: 2 });
    expect(await check('--subject', 'O=A', '--subject', 'O=B')).toMatchObject({ exitCode: 2 });
  });

  test('an outer signature covers the signature of an inner skill', async () => {
    write(
      'skills/example/inner/SKILL.md',
      '---\nname: inner\ndescription: A skill inside another one.\n---\n\nText.\n',
    );
    await run('keygen');
    await run('sign', './skills', '--key', 'skillwire.key');
    expect(existsSync(join(cwd, 'skills/example/inner/skill.oms.sig'))).toBe(true);
    expect(await verify()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('2 skills: 2 signed') });
  });

  test('the signed files are the published ones, with those that a configuration or an option publishes', async () => {
    write('skills/example/prod.env', 'A=1\n');
    write('skills/example/key.p12', 'not really');
    const config = 'team.json';
    write(config, JSON.stringify({ origins: { docs: { folder: './skills', publish: ['example/prod.env'] } } }));
    await run('keygen');
    const sign = (...argv: string[]) => run('sign', ...argv, '--key', 'skillwire.key');
    const signed = () => {
      const bundle = JSON.parse(readFileSync(join(cwd, signature), 'utf8'));
      const { predicate } = JSON.parse(Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString());
      return (predicate.resources as { name: string }[]).map(({ name }) => name);
    };
    expect(await sign('docs', '--config', config)).toMatchObject({ exitCode: 0 });
    expect(signed()).toEqual(['SKILL.md', 'prod.env', 'scripts/run.sh']);
    // The same set for `serve docs` and `validate docs`.
    expect((await run('validate', 'docs', '--config', config, '--json')).stdout).not.toContain('signature-');
    expect(await sign('./skills', '--publish', 'skills/example/key.p12')).toMatchObject({ exitCode: 0 });
    expect(signed()).toEqual(['SKILL.md', 'key.p12', 'scripts/run.sh']);
    // A path that a configuration publishes more of would be signed in part.
    for (const folder of ['./skills', './skills/example', '.']) {
      const refused = await sign(folder, '--config', config);
      expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('example/prod.env') });
      expect(refused.stderr).toContain('Add --publish "skills/example/prod.env"');
    }
    expect(await sign('./skills', '--config', config, '--publish', 'skills/example/prod.env')).toMatchObject({
      exitCode: 0,
    });
    expect(await sign('docs', '--config', config)).toMatchObject({ stdout: expect.stringContaining('unchanged') });
    write('remote.json', JSON.stringify({ origins: { far: 'https://skills.example.com' } }));
    expect(await sign('far', '--config', 'remote.json')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('cannot be signed'),
    });
  });

  verifies(
    ['SG-11', 'SG-15'],
    'signed files that are not published are found by validate, and signed no more',
    async () => {
      const secret = 'not really';
      write('skills/example/.env.example', 'A=1\n');
      write('skills/example/key.p12', secret);
      await run('keygen');
      // Another tool signs whatever the folder has.
      const signAll = (...paths: string[]): void => {
        const files = new Map(
          paths.map((path) => [path, nodeDigest(readFileSync(join(cwd, 'skills/example', path)))] as const),
        );
        const key = createPrivateKey(readFileSync(join(cwd, 'skillwire.key')));
        write(signature, Buffer.from(signSkill('example', { files, ignored: [] }, { key })).toString());
      };
      const validate = async () => JSON.parse((await run('validate', './skills', '--json')).stdout).findings;
      signAll('SKILL.md', 'scripts/run.sh', '.env.example');
      expect(await verify()).toMatchObject({ exitCode: 0 });
      expect(await validate()).toContainEqual(
        expect.objectContaining({
          rule: 'signature-unpublished',
          level: 'note',
          message: expect.stringContaining('.env.example'),
        }),
      );
      // Readers miss this one, whatever the author has.
      signAll('SKILL.md', 'scripts/run.sh', 'key.p12');
      expect(await verify()).toMatchObject({ exitCode: 7, stdout: expect.stringContaining('missing: key.p12') });
      expect(await validate()).toContainEqual(
        expect.objectContaining({
          rule: 'signature-stale',
          message: 'the signature does not match the files: signed, but not published: key.p12',
        }),
      );
      const again = await run('sign', './skills', '--key', 'skillwire.key');
      expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('1 skill signed') });
      expect(await verify()).toMatchObject({ exitCode: 0 });
      expect((await validate()).map(({ rule }: { rule: string }) => rule)).not.toContain('signature-stale');
    },
  );

  test('links, problems and unusable options are refused', async () => {
    await run('keygen');
    const sign = (folder: string) => run('sign', folder, '--key', 'skillwire.key');
    expect(await sign('./home')).toMatchObject({ exitCode: 2 });
    expect(await run('sign', './skills', '--key', 'skillwire.key.pub')).toMatchObject({ exitCode: 2 });
    expect(await run('verify', './skills', '--signer', 'missing.pub')).toMatchObject({ exitCode: 2 });
    expect(await run('verify', './skills', '--issuer', 'https://i.example')).toMatchObject({ exitCode: 2 });
    expect(await verify('--parity')).toMatchObject({ exitCode: 2 });
    expect(await verify('--identity', 'x')).toMatchObject({ exitCode: 2 });
    symlinkSync('SKILL.md', join(cwd, 'skills/example/LINK.md'));
    expect(await sign('./skills')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('link') });
    rmSync(join(cwd, 'skills/example/LINK.md'));
    write('skills/bad/SKILL.md', 'no frontmatter');
    expect(await sign('./skills')).toMatchObject({ exitCode: 2 });
    expect(existsSync(join(cwd, signature))).toBe(false);
  });
});
