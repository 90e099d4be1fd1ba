/**
 * Somebody clones a hostile repository and runs every command in it. Nothing may start, and nothing of the user may be sent. Nothing inside
 * the network may be reached, and no byte outside of the project read or written. The commands come from the program itself, so a new one
 * is covered automatically. Each repository is then trusted and acts, which proves that the traps work.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { referenceTo } from '../../src/origins/credentials.ts';
import { type HostileRepository, hostileRepositories, lockText, put } from './hostile-repositories.ts';
import { secret, type WatchedMachine, watchedMachine } from './watched-machine.ts';

/** Their purpose is to fetch: public addresses may be connected to. All others make no connection at all. */
const fetching = ['list', 'show', 'read', 'verify', 'add', 'install', 'update', 'search', 'serve', 'build'].concat([
  ...['approve', 'diff', 'pin', 'templates', 'runtimes', 'enable', 'disable'],
]);
/** Talk to the user's own hub or server at its usual address. */
const local = ['status', 'runtimes', 'expose'];

/** Arguments to try besides none, the label, and the label with a skill. */
const more: Readonly<Record<string, readonly (readonly string[])[]>> = {
  serve: [['--http', '0', '--json']],
  build: [
    ['--out', 'site'],
    ['tools', '--out', 'site'],
  ],
  add: [['./skills-lock.json'], ['tools', '--yes']],
  install: [['--dry-run']],
  update: [['--check'], ['--dry-run']],
  diff: [['--installed']],
  connect: [['claude-code'], ['claude-code', 'tools']],
  doctor: [['--fix']],
  search: [['anything']],
  deny: [['--match', '**']],
};

let machine: WatchedMachine;
let commands: readonly TriedCommand[];

beforeAll(async () => {
  machine = await watchedMachine();
  commands = await everyCommand();
}, 60_000);

afterAll(() => machine.remove());

interface TriedCommand {
  readonly command: string;
  /** Arguments, two at most. */
  readonly takes: number;
}

async function everyCommand(): Promise<readonly TriedCommand[]> {
  const namesIn = (help: string): readonly string[] =>
    [...help.matchAll(/^ {2}([a-z][a-z-]*)(?: |$)/gm)]
      .map(([, name]) => name ?? '')
      .filter((name) => name !== 'help' && name !== 'skillwire');
  const all: TriedCommand[] = [];
  const helpOf = async (...words: readonly string[]): Promise<string> =>
    (await machine.run([...words, '--help', '--all'])).text;
  for (const name of namesIn(await helpOf())) {
    const help = await helpOf(name);
    const below = /^Commands:/m.test(help) ? namesIn(help) : [];
    const found = below.length === 0 ? [name] : below.map((one) => `${name} ${one}`);
    for (const command of found) {
      const usage = /^Usage: (.*)$/m.exec(await helpOf(...command.split(' ')))?.[1] ?? '';
      const takes = usage.match(/[A-Z]{2,}(?:\.\.\.)?/g) ?? [];
      all.push({ command, takes: takes.some((one) => one.endsWith('...')) ? 2 : Math.min(2, takes.length) });
    }
  }
  return all;
}

/** With the arguments that a person might give: as many as its usage has, of the label and a skill. */
function attempts({ command, takes }: TriedCommand): readonly (readonly string[])[] {
  const words = command.split(' ');
  const [name = ''] = words;
  const given = name === 'serve' || name === 'build' ? [] : [[], ['tools'], ['tools', 'demo']].slice(0, takes + 1);
  return [...given, ...(more[name] ?? [])].map((rest) => [...words, ...rest]);
}

function made(repository: HostileRepository): { readonly cwd: string } {
  machine.reset();
  repository.make(machine);
  const cwd = join(machine.project, repository.cwd ?? '');
  mkdirSync(cwd, { recursive: true });
  machine.noticed();
  return { cwd };
}

test('every command of the program is tried', () => {
  expect(commands.length).toBeGreaterThan(45);
  const names = commands.map(({ command }) => command);
  expect(names).toEqual(expect.arrayContaining(['list', 'trust', 'origins add', 'state import', 'config check']));
  expect(commands.filter(({ takes }) => takes === 2).map(({ command }) => command)).toContain('show');
  expect(hostileRepositories.length).toBeGreaterThanOrEqual(60);
  expect(new Set(hostileRepositories.map(({ name }) => name)).size).toBe(hostileRepositories.length);
});

describe.each(hostileRepositories)('$name', (repository) => {
  test('has no effect in any command', async () => {
    const { cwd } = made(repository);
    const refused: string[] = [];
    for (const tried of commands)
      for (const argv of attempts(tried)) {
        const { command } = tried;
        // Nobody listens at the usual address, and its retries take longer than all other commands together.
        if (command === 'runtimes' && argv.length === 1 && repository !== hostileRepositories[0]) continue;
        const { code, text } = await machine.run(argv, { cwd });
        if (code === 'NOT_TRUSTED') refused.push(command);
        const noticed = machine.noticed();
        const shown = `${argv.join(' ')}: ${text}`;
        const programs = noticed.programs.filter((program) => repository.allows?.includes(program) !== true);
        expect({ ...noticed, programs, sockets: 0 }, shown).toEqual({
          programs: [],
          sockets: 0,
          trapped: 0,
          canary: false,
          secretSent: false,
          outsideRead: false,
          outsideChanged: false,
        });
        const [name = ''] = command.split(' ');
        if (!fetching.includes(name) && !local.includes(name)) expect(noticed.sockets, shown).toBe(0);
      }
    if (repository.trust === undefined) expect(refused).toEqual([]);
    else expect(refused).toContain(repository.by?.[0]);
  });

  test.runIf(repository.trust !== undefined)(
    'is reported as not trusted with the remedy, and acts after that',
    async () => {
      const { cwd } = made(repository);
      const { trust: file = '', by = [] } = repository;
      const before = await machine.run(by, { cwd });
      expect(before).toMatchObject({ exitCode: 5, code: 'NOT_TRUSTED' });
      expect(before.text).toMatch(/skillwire trust \S/);
      const shown = await machine.run(['trust', join(machine.project, file)], { cwd });
      expect(shown).toMatchObject({ exitCode: 5 });
      const digest = /--trust-config (sha256:[0-9a-f]{64})/.exec(shown.text)?.[1] ?? '';
      expect(machine.noticed()).toMatchObject({ programs: [], sockets: 0, trapped: 0, canary: false });

      // For one run only.
      const once = await machine.run([...by, '--trust-config', digest], { cwd });
      expect(once.code).not.toBe('NOT_TRUSTED');
      const acted = machine.noticed();
      if (repository.effect === 'program') expect(acted.canary, once.text).toBe(true);
      if (repository.effect === 'trap') expect(acted.trapped, once.text).toBeGreaterThan(0);
      expect(await machine.run(by, { cwd })).toMatchObject({ code: 'NOT_TRUSTED' });

      // For good.
      expect(await machine.run(['trust', join(machine.project, file)], { cwd, answer: 'y' })).toMatchObject({
        exitCode: 0,
      });
      expect((await machine.run(by, { cwd })).code).not.toBe('NOT_TRUSTED');
      expect(await machine.run(['trust', '--revoke', join(machine.project, file)], { cwd })).toMatchObject({
        exitCode: 0,
      });
      expect(await machine.run(by, { cwd })).toMatchObject({ code: 'NOT_TRUSTED' });
      machine.noticed();
    },
  );
});

describe('trusted values', () => {
  const program = (extra: object = {}): HostileRepository => ({
    name: 'program',
    effect: 'program',
    make: (place) =>
      put(place, {
        'skillwire.json': JSON.stringify({
          origins: { tools: { stdio: ['sh', '-c', `touch ${place.canary}`], ...extra } },
        }),
      }),
  });

  test('an unrelated edit never asks again; a changed line does, and shows the change', async () => {
    const { cwd } = made(program());
    expect((await machine.run(['list'], { cwd, answer: 'y' })).text).toContain('came with this folder. It wants to:');
    expect(machine.noticed().canary).toBe(true);
    expect((await machine.run(['list'], { cwd })).code).toBeUndefined();
    program({ ttl: '60s', include: ['a'] }).make(machine);
    expect((await machine.run(['list'], { cwd })).code).toBeUndefined();
    program({ env: { STOLEN: referenceTo('SECRET') } }).make(machine);
    const { code } = await machine.run(['list'], { cwd });
    expect(code).toBe('NOT_TRUSTED');
    const { text } = await machine.run(['trust'], { cwd });
    expect(text).toContain('changed since you trusted it');
    expect(text).toContain(`+ use your environment variables: STOLEN=${referenceTo('SECRET')}  (origins.tools.env)`);
    expect(text).toContain(`- start a program: sh -c "touch ${machine.canary}"  (origins.tools)`);
    expect(text).not.toContain(secret);
  });

  test('a host that trusts the project serves it, until a line that acts is added', async () => {
    machine.reset();
    const file = join(machine.project, 'skillwire.json');
    put(machine, { 'skillwire.json': '{"origins":{"tools":"./skills"}}', 'skills/notes.md': '' });
    const { text } = await machine.run(['connect', 'claude-code']);
    expect(text).toContain('--project-config');
    const serve = ['serve', '--http', '0', '--json', '--project-config', file];
    expect((await machine.run(serve)).code).toBeUndefined();
    program().make(machine);
    expect(await machine.run(serve)).toMatchObject({ exitCode: 5, code: 'NOT_TRUSTED' });
    expect(machine.noticed()).toMatchObject({ programs: [], canary: false });
  });

  test('"no" at the question changes nothing', async () => {
    const { cwd } = made(program());
    expect(await machine.run(['list'], { cwd, answer: 'n' })).toMatchObject({ code: 'NOT_TRUSTED', exitCode: 5 });
    expect(await machine.run(['list'], { cwd })).toMatchObject({ code: 'NOT_TRUSTED' });
    expect(machine.noticed()).toMatchObject({ programs: [], canary: false });
  });

  test('a file named by hand, and added origins, need no trust', async () => {
    const { cwd } = made(program());
    expect((await machine.run(['list', '--config', 'skillwire.json'], { cwd })).code).toBeUndefined();
    expect(machine.noticed().canary).toBe(true);
    machine.reset();
    const argument = `mine=stdio:sh -c "touch ${machine.canary}"`;
    expect(await machine.run(['origins', 'add', argument], { cwd: machine.project })).toMatchObject({ exitCode: 0 });
    await machine.run(['list', 'mine'], { cwd: machine.project });
    expect(machine.noticed().canary).toBe(true);
  });

  test('a lock file may use a program that the user added, and no other origin of the user', async () => {
    machine.reset();
    const words = ['sh', '-c', `touch ${machine.canary}`];
    const argument = `mine=stdio:sh -c "touch ${machine.canary}"`;
    await machine.run(['origins', 'add', argument]);
    put(machine, { 'skillwire.lock': lockText({ origin: { kind: 'stdio', command: words }, label: 'mine' }) });
    expect((await machine.run(['install'])).code).not.toBe('NOT_TRUSTED');
    expect(machine.noticed().canary).toBe(true);

    machine.reset();
    await machine.run(['origins', 'add', argument]);
    put(machine, { 'skillwire.lock': lockText({ origin: { kind: 'folder', path: './skills' }, label: 'mine' }) });
    await machine.run(['install']);
    expect(machine.noticed()).toMatchObject({ programs: [], canary: false });
  });

  test('a token of the command line is not sent to an address of an untrusted file', async () => {
    machine.reset();
    put(machine, { 'skillwire.json': '{"origins":{"tools":"https://public.invalid"}}' });
    const outcome = await machine.run(['list', 'tools', '--token-env', 'SECRET']);
    expect(outcome).toMatchObject({ exitCode: 5, code: 'NOT_TRUSTED' });
    expect(machine.noticed().sockets).toBe(0);
  });

  test('doctor contacts no origin of an untrusted file, and reports that', async () => {
    machine.reset();
    put(machine, { 'skillwire.json': '{"origins":{"tools":"https://public.invalid"}}' });
    const { text } = await machine.run(['doctor', '--json']);
    expect(text).toContain('is not trusted');
    expect(machine.noticed()).toMatchObject({ sockets: 0, programs: [] });
  });

  test('harmless values need no trust: folders of the project and public addresses', async () => {
    machine.reset();
    put(machine, {
      'skillwire.json': '{"origins":{"tools":"./skills","web":"https://public.invalid"}}',
      'skills/demo/SKILL.md': '---\nname: demo\ndescription: Does it.\n---\n',
    });
    const { code, text } = await machine.run(['list', 'tools']);
    expect(code).toBeUndefined();
    expect(text).toContain('demo');
    const trust = await machine.run(['trust']);
    expect(trust).toMatchObject({ exitCode: 0, text: expect.stringContaining('needs no trust') });
    expect(trust.text).not.toContain('is not trusted');
    expect(await machine.run(['trust', '--json'])).toMatchObject({ exitCode: 0 });
    put(machine, { 'skillwire.json': '{"origins":{"tools":{"stdio":"node x.mjs"}}}' });
    expect(await machine.run(['trust', '--json'])).toMatchObject({ exitCode: 5 });
    expect((await machine.run(['list', 'web'])).code).not.toBe('NOT_TRUSTED');
    expect(machine.noticed()).toMatchObject({ trapped: 0, programs: [] });
  });

  test('an origin that a person added from outside is not asked about twice', async () => {
    machine.reset();
    put(machine, {});
    const added = await machine.run(['add', join(machine.outside, 'skills'), '--agent', 'claude-code'], {
      answer: 'y',
    });
    expect(added).toMatchObject({ exitCode: 0 });
    expect((await machine.run(['update', '--check'])).code).toBeUndefined();
    // Another user with the same files is asked.
    const lock = await machine.run(['trust', '--revoke']);
    expect(lock.text).toContain('No longer trusted');
    expect(await machine.run(['update', '--check'])).toMatchObject({ code: 'NOT_TRUSTED' });
    machine.noticed();
  });

  test('the list of trusted files shows the accepted values', async () => {
    const { cwd } = made(program());
    await machine.run(['trust'], { cwd, answer: 'y' });
    const { text } = await machine.run(['trust', '--list', '--json'], { cwd });
    expect(JSON.parse(text)).toMatchObject({
      trusted: [{ file: join(machine.project, 'skillwire.json'), acts: [{ kind: 'program', at: 'origins.tools' }] }],
    });
    machine.noticed();
  });
});
