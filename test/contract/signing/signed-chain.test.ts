/**
 * One skill on its whole way: its author signs it, a site publishes it, and a gateway requires the signer. A developer installs it, the lock
 * file pins the signer, and a version by somebody else is stopped. Every step is tampered with once. Real servers and real commands.
 */

import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { serveConfiguration } from '../../../src/node/serve-configuration.ts';
import { eventually } from '../../eventually.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type CliResult, runInProcess } from '../../run-in-process.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

function folder() {
  const cwd = mkdtempSync(join(tmpdir(), 'skillwire-chain-'));
  cleanUp.push(() => rmSync(cwd, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), text);
  };
  const run = (...argv: string[]): Promise<CliResult> =>
    runInProcess(argv, { cwd, env: { SKILLWIRE_HOME: join(cwd, 'home'), HOME: cwd } });
  return { cwd, write, run };
}

const port = { host: '127.0.0.1', port: 0 } as const;
const text = (body: string): string => `---\nname: tool\ndescription: A tool for tests.\n---\n\n${body}\n`;

async function serve(configuration: object, base: string) {
  const { cwd, write } = folder();
  write('state/keep', '');
  const handle = await serveConfiguration(configuration as never, {
    http: port,
    base,
    state: join(cwd, 'state'),
    env: {},
    watch: true,
  });
  cleanUp.push(() => handle.close());
  return handle;
}

/** Somebody on the line between two parts, who changes answers. */
async function tampering(target: string, change: (path: string, body: Buffer) => Buffer) {
  const server = createServer((received, answer) => {
    const { connection: _, host: __, 'accept-encoding': ___, ...headers } = received.headers;
    const sent = request(new URL(received.url ?? '/', target), { method: received.method, headers, agent: false });
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const { 'content-length': ____, 'transfer-encoding': _____, ...passed } = response.headers;
        answer.writeHead(response.statusCode ?? 502, passed);
        answer.end(change(received.url ?? '/', Buffer.concat(parts)));
      });
    });
    sent.on('error', () => answer.destroy());
    received.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface ChainOptions {
  /** Changes what the gateway reads of the site. */
  readonly onSite?: (path: string, body: Buffer) => Buffer;
  /** Changes what the developer reads of the gateway. */
  readonly onGateway?: (path: string, body: Buffer) => Buffer;
}

async function chain({ onSite, onGateway }: ChainOptions = {}) {
  const author = folder();
  author.write('skills/tool/SKILL.md', text('first'));
  expect((await author.run('keygen', '--out', 'author.key')).exitCode).toBe(0);
  expect((await author.run('keygen', '--out', 'other.key')).exitCode).toBe(0);
  expect((await author.run('sign', './skills', '--key', 'author.key')).exitCode).toBe(0);
  const site = await serve({ origins: [{ label: 'docs', folder: './skills' }], rules: [] }, author.cwd);
  const direct = new URL(site.mcp ?? '').origin;
  const origin = onSite === undefined ? direct : await tampering(direct, onSite);
  const gateway = await serve(
    {
      origins: [{ label: 'vendor', site: origin, ttlMs: 1_000 }],
      rules: [],
      signers: [{ name: 'author', key: './author.key.pub' }],
      policy: { signatures: [{ origin: 'vendor', require: ['author'] }] },
    },
    author.cwd,
  );
  const developer = folder();
  developer.write(
    'home/skillwire.json',
    JSON.stringify({ origins: {}, signers: { author: { key: join(author.cwd, 'author.key.pub') } } }),
  );
  mkdirSync(join(developer.cwd, 'project'));
  const base = new URL(gateway.mcp ?? '').origin;
  const address = `mcp:${onGateway === undefined ? base : await tampering(base, onGateway)}/mcp`;
  const inProject = (...argv: string[]): Promise<CliResult> =>
    runInProcess(argv, {
      cwd: join(developer.cwd, 'project'),
      env: { SKILLWIRE_HOME: join(developer.cwd, 'home'), HOME: developer.cwd },
    });
  const add = async (...more: string[]): Promise<CliResult> => {
    const question = await inProject('add', address, '--agent', 'claude-code', '--json', ...more);
    if (question.exitCode !== 5) return question;
    const { planDigest } = (JSON.parse(question.stderr).error?.data ?? {}) as { planDigest?: string };
    if (planDigest === undefined) return question;
    return inProject('add', address, '--agent', 'claude-code', '--json', '--approve', planDigest, ...more);
  };
  const names = async (): Promise<readonly string[]> => {
    const listed = await inProject('list', address, '--json');
    return (JSON.parse(listed.stdout).skills as { name: string }[]).map(({ name }) => name);
  };
  const lock = () => JSON.parse(readFileSync(join(developer.cwd, 'project/skillwire.lock'), 'utf8')).skills.tool;
  return { author, address, developer, inProject, add, names, lock };
}

describe('a signed skill from end to end', () => {
  verifies(['SG-16', 'SG-20', 'SG-21', 'SG-25'], 'is installed from its signer only', async () => {
    const { author, address, inProject, add, names, lock, developer } = await chain();
    expect(await names()).toEqual(['tool']);
    const shown = await inProject('show', address, 'tool');
    expect(shown.stdout).toContain('signed by author (key sha256:');
    expect(shown.stdout).toContain('1 of 1 served files');
    const added = await add();
    expect(added).toMatchObject({ exitCode: 0 });
    expect(lock()).toMatchObject({ signer: { kind: 'key' }, content: expect.stringMatching(/^sha256:/) });
    // The same bytes arrived: another implementation of the same check, on the installed copy.
    const installed = await author.run(
      'verify',
      join(developer.cwd, 'project/.agents/skills'),
      '--signer',
      'author.key.pub',
    );
    expect(installed).toMatchObject({ exitCode: 0 });

    // The author's next version passes.
    author.write('skills/tool/SKILL.md', text('second'));
    await author.run('sign', './skills', '--key', 'author.key');
    const update = async (...more: string[]): Promise<CliResult> => {
      const question = await inProject('update', '--json', ...more);
      if (question.exitCode !== 5) return question;
      const { planDigest } = (JSON.parse(question.stderr).error?.data ?? {}) as { planDigest?: string };
      return planDigest === undefined ? question : inProject('update', '--json', '--approve', planDigest, ...more);
    };
    await eventually(async () => {
      await update();
      expect(readFileSync(join(developer.cwd, 'project/.agents/skills/tool/SKILL.md'), 'utf8')).toContain('second');
    });

    // A tampered file does not pass the gateway.
    appendFileSync(join(author.cwd, 'skills/tool/SKILL.md'), 'one more line\n');
    await eventually(async () => expect(await names()).toEqual([]));
    // Neither does a signature of somebody else.
    await author.run('sign', './skills', '--key', 'other.key');
    await new Promise((done) => setTimeout(done, 1_500));
    expect(await names()).toEqual([]);

    // A developer who reads past the gateway is stopped by the lock file.
    const direct = join(author.cwd, 'skills');
    const replaced = await inProject('add', direct, '--agent', 'claude-code', '--replace', '--json');
    expect(replaced.exitCode).toBe(5);
    expect(replaced.stderr).toContain('SIGNER_CHANGED');
    expect(replaced.stderr).toContain('this version is untrusted');
    const allowed = await inProject(
      'add',
      direct,
      '--agent',
      'claude-code',
      '--replace',
      '--json',
      '--allow-signer-change',
    );
    expect(JSON.parse(allowed.stderr).error).toMatchObject({ code: 'NOT_APPROVED' });
    expect(lock()).toMatchObject({ signer: { kind: 'key' } });
  });

  verifies(['SG-16', 'SG-25'], 'bytes that change on the way are found', async () => {
    const pass = (_: string, body: Buffer): Buffer => body;
    const untouched = await chain({ onSite: pass, onGateway: pass });
    expect(await untouched.names()).toEqual(['tool']);
    expect((await untouched.add()).exitCode).toBe(0);

    // Between site and gateway: the archive is not what the index promises.
    const atSite = await chain({
      onSite: (path, body) => {
        if (!/[.]tar[.]gz$/.test(path)) return body;
        const changed = Buffer.from(body);
        changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
        return changed;
      },
    });
    expect(await atSite.names()).toEqual([]);

    // Between gateway and developer: a file is not what its entry promises.
    const first = Buffer.from('first');
    const swap = (_: string, body: Buffer): Buffer => {
      const at = body.indexOf(first);
      return at === -1 ? body : Buffer.concat([body.subarray(0, at), Buffer.from('worst'), body.subarray(at + 5)]);
    };
    const atGateway = await chain({ onGateway: swap });
    expect(await atGateway.names()).toEqual(['tool']);
    expect((await atGateway.add()).exitCode).toBe(7);
  });

  verifies(
    ['SG-15', 'SG-16', 'SG-19', 'SG-20'],
    'a gateway that lies, and edits on the laptop, are found',
    async () => {
      const { author, inProject, add, lock, developer } = await chain();
      expect(await add()).toMatchObject({ exitCode: 0 });

      // Another gateway promises exactly what it serves: other text with the old signature, or none at all.
      const liar = folder();
      liar.write('skills/tool/SKILL.md', text('worst'));
      liar.write('skills/tool/skill.oms.sig', readFileSync(join(author.cwd, 'skills/tool/skill.oms.sig'), 'utf8'));
      const replace = (...more: string[]): Promise<CliResult> =>
        inProject('add', join(liar.cwd, 'skills'), '--agent', 'claude-code', '--replace', '--json', ...more);
      const stale = await replace();
      expect(stale).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('this version is mismatch') });
      rmSync(join(liar.cwd, 'skills/tool/skill.oms.sig'));
      const stripped = await replace();
      expect(stripped).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('this version is unsigned') });
      expect(lock()).toMatchObject({ signer: { kind: 'key' } });

      // An edit of the installed copy.
      const copies = join(developer.cwd, 'project/.agents/skills');
      const verify = () => author.run('verify', copies, '--signer', 'author.key.pub');
      expect(await verify()).toMatchObject({ exitCode: 0 });
      const copy = join(copies, 'tool/SKILL.md');
      const before = readFileSync(copy);
      appendFileSync(copy, 'edited\n');
      expect(await verify()).toMatchObject({ exitCode: 7, stdout: expect.stringContaining('changed: SKILL.md') });
      expect((await inProject('install', '--json')).exitCode).not.toBe(0);
      writeFileSync(copy, before);

      // A lock file that names another signer does not make that signer the author's.
      const lockFile = join(developer.cwd, 'project/skillwire.lock');
      const written = readFileSync(lockFile, 'utf8');
      writeFileSync(lockFile, written.replace(/"key": "sha256:[0-9a-f]{4}/, '"key": "sha256:0000'));
      author.write('skills/tool/SKILL.md', text('second'));
      await author.run('sign', './skills', '--key', 'author.key');
      await eventually(async () => {
        const updated = await inProject('update', '--json');
        expect(updated.stderr).toContain('SIGNER_CHANGED');
      });
    },
  );

  verifies(
    ['SG-18', 'SG-20', 'SG-24'],
    "the user's rules apply to add and approve, whatever a project says",
    async () => {
      const { author, add, address, inProject, developer } = await chain();
      const key = join(author.cwd, 'other.key.pub');
      developer.write(
        'home/skillwire.json',
        JSON.stringify({
          origins: {},
          signers: { trusted: { key } },
          policy: { signatures: [{ require: ['trusted'] }] },
        }),
      );
      // The file of the project names its own signer like the user's, and asks for nothing.
      writeFileSync(join(developer.cwd, 'project/author.key.pub'), readFileSync(join(author.cwd, 'author.key.pub')));
      developer.write(
        'project/skillwire.json',
        JSON.stringify({
          origins: {},
          signers: { trusted: { key: './author.key.pub' } },
          policy: { signatures: [{ require: [] }] },
        }),
      );
      const refused = await add();
      expect(refused.exitCode).toBe(5);
      expect(refused.stderr).toContain('it must be signed by trusted: untrusted (step trust)');
      const approve = await inProject('approve', address, 'tool', '--json');
      expect(approve.exitCode).toBe(5);
      expect(approve.stderr).toContain('REFUSED_BY_POLICY');
      const shown = await inProject('show', address, 'tool');
      expect(shown.stdout).toContain('signed by trusted of skillwire.json');
      expect(shown.stdout).toContain('refused');
    },
  );

  verifies(
    ['SG-20', 'SG-21'],
    'an approval records the signer, and another signer needs explicit consent',
    async () => {
      const { author, developer, inProject } = await chain();
      const other = {
        author: { key: join(author.cwd, 'author.key.pub') },
        other: { key: join(author.cwd, 'other.key.pub') },
      };
      developer.write('home/skillwire.json', JSON.stringify({ origins: {}, signers: other }));
      const origin = join(author.cwd, 'skills');
      const approve = async (...more: string[]): Promise<CliResult> => {
        const question = JSON.parse((await inProject('approve', origin, 'tool', '--json')).stdout);
        const [offer] = question.needsApproval ?? [];
        return inProject('approve', origin, 'tool', '--json', '--yes', String(offer?.setDigest), ...more);
      };
      const question = JSON.parse((await inProject('approve', origin, 'tool', '--json')).stdout);
      expect(question.needsApproval).toMatchObject([{ signature: { state: 'signed', signer: { names: ['author'] } } }]);
      expect((await approve()).exitCode).toBe(0);
      author.write('skills/tool/SKILL.md', text('changed'));
      await author.run('sign', './skills', '--key', 'other.key');
      const stopped = await approve();
      expect(stopped.exitCode).toBe(5);
      expect(stopped.stderr).toContain('the signer changed from key');
      expect((await approve('--allow-signer-change')).exitCode).toBe(0);
    },
  );
});
