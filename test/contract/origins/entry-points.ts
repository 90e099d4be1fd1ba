/** Every way to open an origin, each as one function with the same input. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cli } from '../../../src/cli/cli.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { SkillwireError } from '../../../src/errors.ts';
import { type Gateway, openGateway, parseConfiguration } from '../../../src/node/entries/gateway.ts';
import { openHost } from '../../../src/node/entries/host.ts';
import type { OriginLocation } from '../../../src/origins/kinds.ts';
import { lockText } from '../../../src/sync/install-lock.ts';
import { sha256, skillMd } from '../../scripted-site.ts';

/** The one skill of every origin that has some. */
export const skillName = 'every-kind-demo';
export const skillText: string = skillMd(skillName);

export interface OriginUnderTest {
  /** As on the command line. */
  readonly text: string;
  /** As in a configuration, with the same secrets as `flags`. */
  readonly configured: string | object;
  /** As in a lock file. */
  readonly place: OriginLocation;
  /** Of its `SKILL.md`. */
  readonly uri: string;
  /** The secrets, as options of a command. */
  readonly flags: readonly string[];
  /** How long it may take to answer; `configured` says the same. */
  readonly timeoutMs?: number;
}

export interface Surrounding {
  /** The project: the working folder of commands and of this process. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface EntryPoint {
  readonly name: string;
  /** Whether the secrets of the origin can be named there. */
  readonly secrets: boolean;
  /** Whether a configuration file leads to the origin. */
  readonly file: boolean;
  /** Whether a gateway reads the origin. */
  readonly gateway: boolean;
  /** @returns a text that has the name of the skill in it if the skill was found, and what was reported otherwise */
  open(origin: OriginUnderTest, around: Surrounding): Promise<string>;
}

/** A command in this process, with a person who accepts everything. */
async function run(
  { folder, env }: Surrounding,
  argv: readonly string[],
  onOutput: (text: string) => void = () => {},
): Promise<string> {
  let out = '';
  const cli: Cli = {
    version: '1',
    cwd: folder,
    env,
    stdin: {},
    stdout: {
      write(data) {
        out += Buffer.from(data).toString();
        onOutput(out);
      },
    },
    stderr: { write: () => {} },
    ask: async () => 'y',
  };
  await runProgram(argv, cli);
  return out;
}

const label = 'x';

/** A file of the user: commands take it with `--config`. */
function configuration({ configured }: OriginUnderTest, { folder }: Surrounding): string {
  const file = join(folder, 'skillwire.json');
  writeFileSync(file, JSON.stringify({ origins: { [label]: configured } }), { mode: 0o600 });
  return file;
}

async function namesOf({ source }: Gateway): Promise<string> {
  const names: string[] = [];
  try {
    for await (const { skills, findings } of source.list({}))
      names.push(...skills.map(({ entry }) => entry.uri), ...findings.map(({ message }) => message));
  } finally {
    await source.close?.();
  }
  return names.join();
}

/** Runs it again with the digest of the file if it is not trusted. */
async function accepting<T>(work: (digests: readonly string[]) => Promise<T>): Promise<T> {
  try {
    return await work([]);
  } catch (error) {
    if (!(error instanceof SkillwireError) || error.code !== 'NOT_TRUSTED') throw error;
    return work([String(error.data['digest'])]);
  }
}

function lockFile({ place, uri }: OriginUnderTest): string {
  const file = { digest: sha256(skillText), size: Buffer.byteLength(skillText) };
  const approval = { by: 'person', at: '2026-01-01T00:00:00.000Z' };
  return lockText({
    scope: 'project',
    skills: {
      [skillName]: {
        origin: place,
        uri,
        setDigest: sha256('of another set'),
        files: { 'SKILL.md': file },
        agents: [],
        mode: 'link',
        scripts: false,
        approval,
      },
    },
  });
}

const waiting = ({ timeoutMs }: OriginUnderTest): readonly string[] =>
  timeoutMs === undefined ? [] : ['--timeout', String(timeoutMs)];

const command = { secrets: true, file: false, gateway: false };

export const entryPoints: readonly EntryPoint[] = [
  {
    name: 'openHost()',
    ...command,
    secrets: false,
    async open({ text, timeoutMs }, { folder }) {
      const host = await openHost([`${label}=${text}`], {
        state: join(folder, 'own'),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      const { skills, origins } = await host.discover().finally(() => host.close());
      return [...skills.map(({ name }) => name), ...origins.map(({ message }) => message)].join();
    },
  },
  {
    name: 'openGateway(file)',
    secrets: true,
    file: true,
    gateway: true,
    async open(origin, around) {
      const file = configuration(origin, around);
      const state = join(around.folder, 'own');
      const { env } = around;
      return namesOf(await accepting((trustConfig) => openGateway(file, { state, env, trustConfig })));
    },
  },
  {
    name: 'openGateway(object)',
    secrets: true,
    file: false,
    gateway: true,
    async open({ configured }, { env }) {
      const text = JSON.stringify({ origins: { [label]: configured } });
      return namesOf(await openGateway(parseConfiguration(text, 'skillwire.json'), { env }));
    },
  },
  {
    name: 'list',
    ...command,
    open: (origin, around) => run(around, ['list', origin.text, '--json', ...origin.flags, ...waiting(origin)]),
  },
  {
    name: 'list of an added origin',
    ...command,
    async open(origin, around) {
      await run(around, ['origins', 'add', `${label}=${origin.text}`, ...origin.flags]);
      return run(around, ['list', label, '--json', ...waiting(origin)]);
    },
  },
  {
    name: 'list of a label',
    ...command,
    file: true,
    open: (origin, around) => run(around, ['list', label, '--json', '--config', configuration(origin, around)]),
  },
  {
    name: 'serve',
    secrets: true,
    file: true,
    gateway: true,
    async open(origin, around) {
      let answers: Promise<string> | undefined;
      const argv = ['serve', '--http', '0', '--json', '--config', configuration(origin, around)];
      await run(around, argv, (out) => {
        if (answers !== undefined) return;
        const { url } = JSON.parse(out) as { readonly url: string };
        const textOf = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
        const texts = async (): Promise<string> =>
          (await textOf('/.well-known/agent-skills/index.json')) + (await textOf('/api/origins'));
        answers = texts().finally(() => process.emit('SIGTERM', 'SIGTERM'));
      });
      return answers ?? '';
    },
  },
  {
    name: 'build',
    secrets: true,
    file: true,
    gateway: true,
    async open(origin, around) {
      const out = join(around.folder, 'site');
      await run(around, ['build', '--out', out, '--config', configuration(origin, around)]);
      return readFileSync(join(out, '.well-known/agent-skills/index.json'), 'utf8');
    },
  },
  {
    name: 'add',
    ...command,
    async open(origin, around) {
      await run(around, ['add', origin.text, '--agent', 'codex', ...origin.flags, ...waiting(origin)]);
      return readFileSync(join(around.folder, 'skillwire.lock'), 'utf8');
    },
  },
  {
    name: 'install',
    ...command,
    async open(origin, around) {
      writeFileSync(join(around.folder, 'skillwire.lock'), lockFile(origin));
      const flags = [...origin.flags, ...waiting(origin)];
      await accepting((digests) =>
        run(around, ['install', ...flags, ...digests.flatMap((digest) => ['--trust-config', digest])]),
      );
      const skills = join(around.folder, '.agents/skills');
      return existsSync(skills) ? readdirSync(skills).join() : '';
    },
  },
  {
    name: 'verify',
    ...command,
    open: (origin, around) => run(around, ['verify', origin.text, '--json', ...origin.flags, ...waiting(origin)]),
  },
  {
    name: 'doctor',
    ...command,
    file: true,
    async open(origin, around) {
      const out = await run(around, ['doctor', '--json', '--config', configuration(origin, around)]);
      const { origins } = JSON.parse(out) as { readonly origins: readonly { readonly skills: number }[] };
      return origins[0]?.skills === 1 ? skillName : out;
    },
  },
];
