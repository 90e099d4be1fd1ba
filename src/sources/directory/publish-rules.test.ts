import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { files, report, rules, skill, type Tree, temporary } from '../../../test/skill-folders.ts';
import { limits } from '../../limits.ts';
import type { DirectoryReport } from './directory-report.ts';
import type { DirectoryRoot } from './directory-root.ts';
import { directorySource } from './directory-source.ts';
import { unpublishedName } from './publish-rules.ts';

const secret = [
  ...['prod.env', 'production.env', 'local.env', 'app.prod.env', 'PROD.ENV'],
  ...[
    'credentials',
    'credentials.json',
    'Credentials.JSON',
    'credentials.yml',
    'credentials.csv',
    'aws-credentials.json',
  ],
  ...['application_default_credentials.json', 'new_user_credentials.csv', 'rootkey.csv', 'me_accessKeys.csv'],
  ...['secrets.yaml', 'secrets.yml', 'secrets.json', 'secrets.toml', 'secrets.tfvars'],
  ...['service-account.json', 'service_account.json', 'serviceAccountKey.json', 'service-account-prod.json'],
  ...['shop-firebase-adminsdk-ab12c-0123456789.json'],
  ...['client_secret.json', 'client_secrets.json', 'client_secret_123.apps.googleusercontent.com.json'],
  ...['token.json', 'token.pickle', 'terraform.tfstate', 'prod.tfstate', 'terraform.tfstate.backup'],
  ...['kubeconfig', 'prod.kubeconfig', '_netrc', 'master.key', 'secring.gpg'],
  ...['id_rsa', 'id_ed25519', 'me.p12', 'me.pfx', 'app.jks', 'app.keystore', 'pass.kdbx', 'login.keychain-db', 'x.ppk'],
];

const ordinary = [
  ...['example.env', 'sample.env', 'template.env', 'app.example.env', 'env.example', 'dist.env', 'environment.yml'],
  ...['credentials.md', 'credentials.py', 'credentials.ts', 'credentials.example.json', 'credentials-template.yaml'],
  ...['secrets.md', 'secrets.py', 'secret.yaml', 'secrets.example.yaml', 'secrets.yaml.example', 'no-secrets.md'],
  ...['tokens.json', 'design-tokens.json', 'token.md', 'token.ts', 'tokens.css', 'tokenizer.json'],
  ...['service-account.md', 'service-account.yaml', 'service-account.example.json', 'service-account.schema.json'],
  ...['client_secret.example.json', 'client.json', 'main.tf', 'prod.tfvars', 'tfstate.md', 'kubeconfig.md'],
  ...['public.key', 'cert.pem', 'auth.json', 'config.json', 'keys.md', 'SKILL.md', 'id_rsa.pub', 'env', 'env.md'],
];

test.each(secret)('%s is not published because of its name', (name) => {
  expect(unpublishedName(name, false)).toMatchObject({ secret: true });
  expect(unpublishedName(name, true)?.secret).not.toBe(true);
});

test.each(ordinary)('%s is an ordinary file', (name) => {
  expect(unpublishedName(name, false)).toBeUndefined();
});

const key = `-----BEGIN ${'PRIVATE'} KEY-----\nnot a key\n`;
const tree: Tree = {
  deploy: {
    'SKILL.md': skill('deploy'),
    'prod.env': 'A=1\n',
    assets: { 'credentials.json': '{}', 'test.pem': key },
    '.env': 'A=1\n',
  },
};
const deploy = 'skill://deploy/SKILL.md';

async function reported(root: DirectoryRoot, cache?: string): Promise<DirectoryReport> {
  const source = directorySource([root], { watch: false, cache: cache ?? false });
  onTestFinished(() => source.close?.());
  return source.report();
}

describe('a file that looks secret', () => {
  test('is left out and reported', async () => {
    const found = await report(await temporary(tree));
    expect(files(found, deploy)).toEqual(['SKILL.md']);
    expect(rules(found)).toEqual(['file-hidden', 'file-secret', 'file-secret', 'file-secret']);
    expect(found.findings[0]).toMatchObject({
      level: 'warning',
      message: '"prod.env" looks like a file with credentials and is not served',
      remedy: 'move the file out of the skill',
    });
  });

  test('is published with a note if its path is named', async () => {
    const path = await temporary(tree);
    const publish = ['deploy/prod.env', 'deploy/assets/test.pem'];
    const found = await reported({ path, publish });
    expect(files(found, deploy)).toEqual(['SKILL.md', 'assets/test.pem', 'prod.env']);
    expect(found.findings.map(({ level, rule, file }) => [level, rule, file])).toEqual([
      ['note', 'file-secret-published', join(path, 'deploy/prod.env')],
      ['warning', 'file-secret', join(path, 'deploy/assets/credentials.json')],
      ['note', 'file-secret-published', join(path, 'deploy/assets/test.pem')],
      ['note', 'file-hidden', join(path, 'deploy')],
    ]);
  });

  test('is not published by a line of .skillignore, which came with the folder', async () => {
    const found = await report(
      await temporary({
        deploy: { ...(tree['deploy'] as Tree), '.skillignore': '!prod.env\n!credentials.json\n!.env\n' },
      }),
    );
    expect(files(found, deploy)).toEqual(['SKILL.md']);
  });

  test('is not published if .skillignore excludes it, and a hidden file is published if named', async () => {
    const path = await temporary({ deploy: { ...(tree['deploy'] as Tree), '.skillignore': 'prod.env\n' } });
    const found = await reported({ path, publish: ['deploy/prod.env', 'deploy/.env', 'deploy/gone.env'] });
    expect(files(found, deploy)).toEqual(['.env', 'SKILL.md']);
    expect(found.findings).toContainEqual(
      expect.objectContaining({ rule: 'file-secret-published', file: join(path, 'deploy/.env') }),
    );
    expect(found.findings.filter(({ rule }) => rule === 'publish-unused').map(({ file }) => file)).toEqual([
      join(path, 'deploy/prod.env'),
      join(path, 'deploy/gone.env'),
    ]);
  });

  test('is left out again by the next start that does not name it, whatever is in the digest cache', async () => {
    const path = await temporary({ deploy: { 'SKILL.md': skill('deploy'), 'prod.env': 'A=1\n', 'key.pem': key } });
    const cache = await temporary();
    // Only files that are old enough are cached.
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const publish = ['deploy/prod.env', 'deploy/key.pem'];
    for (let start = 0; start < 2; start++) {
      const source = directorySource([{ path, publish }], { watch: false, cache });
      expect(files(await source.report(), deploy)).toEqual(['SKILL.md', 'key.pem', 'prod.env']);
      await source.close?.();
    }
    expect(files(await reported({ path }, cache), deploy)).toEqual(['SKILL.md']);
  });
});

describe('files with other hard links', () => {
  test('are published with one warning per skill that names some of them', async () => {
    const outside = await temporary({ 'key.txt': 'x' });
    const root = await temporary({ a: { 'SKILL.md': skill('a') }, b: { 'SKILL.md': skill('b') } });
    await link(join(outside, 'key.txt'), join(root, 'b/hard.txt'));
    await mkdir(join(root, 'a/refs'));
    const count = limits.scan.hardLinksShown + 2;
    for (let index = 0; index < count; index++) {
      await writeFile(join(outside, `${index}.md`), 'x');
      await link(join(outside, `${index}.md`), join(root, `a/refs/${index}.md`));
    }
    const found = await report(root);
    expect(files(found, 'skill://b/SKILL.md')).toEqual(['SKILL.md', 'hard.txt']);
    expect(found.findings).toEqual([
      {
        level: 'warning',
        rule: 'file-hard-linked',
        file: join(root, 'a'),
        message:
          '7 files are also reachable by another path (a hard link): "refs/0.md", "refs/1.md", "refs/2.md", "refs/3.md", "refs/4.md", and 2 more',
        remedy: expect.stringContaining('copies'),
      },
      expect.objectContaining({
        file: join(root, 'b'),
        message: 'a file is also reachable by another path (a hard link): "hard.txt"',
      }),
    ]);
  });

  test('are also reported by the next start, from the digest cache, until the link is gone', async () => {
    const outside = await temporary({ 'key.txt': 'x' });
    const root = await temporary({ a: { 'SKILL.md': skill('a') } });
    await link(join(outside, 'key.txt'), join(root, 'a/hard.txt'));
    const cache = await temporary();
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    for (let start = 0; start < 3; start++) expect(rules(await closed(root, cache))).toEqual(['file-hard-linked']);
    await rm(join(outside, 'key.txt'));
    expect(rules(await closed(root, cache))).toEqual([]);
    await link(join(root, 'a/hard.txt'), join(outside, 'key.txt'));
    expect(rules(await closed(root, cache))).toEqual(['file-hard-linked']);
  });

  async function closed(path: string, cache: string): Promise<DirectoryReport> {
    const source = directorySource(path, { watch: false, cache });
    try {
      return await source.report();
    } finally {
      await source.close?.();
    }
  }
});
