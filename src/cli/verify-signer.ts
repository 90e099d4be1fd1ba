/** `skillwire verify --signer`: whether every skill of an origin is signed, whole, by one signer. Reads entries and signatures only. */
import { type ExitCode, exitCodes } from '../errors.ts';
import type { SignatureGate } from '../host/approve/signature-gate.ts';
import { verdictText } from '../signing/verdict-text.ts';
import { contentDigest, contentFiles } from '../skill/content-digest.ts';
import { displayText } from '../skill/display-text.ts';
import type { SkillEntry } from '../skill/entry.ts';
import type { Cli, GlobalOptions } from './cli.ts';
import { eachInParallel, type ListedSignature, servedSignature } from './listed-signatures.ts';
import type { CommandSession } from './open-host.ts';
import { writeOutput } from './options/output-options.ts';
import { colorsFor } from './render/color.ts';
import { jsonText } from './render/json-text.ts';
import { counted } from './render/values.ts';

export interface VerifySignerOptions extends GlobalOptions {
  readonly output?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly format: 'text' | 'json';
}

interface Row {
  readonly uri: string;
  readonly name: string;
  /** The content digest; absent for a dynamic skill. */
  readonly content?: string;
  readonly signature: ListedSignature;
}

export async function verifySigner(
  { host, signal }: CommandSession,
  gate: SignatureGate,
  options: VerifySignerOptions,
  cli: Cli,
): Promise<ExitCode> {
  const [origin] = host.origins.list();
  if (origin === undefined) throw new TypeError('no origin');
  const { label, source } = origin;
  const entries: SkillEntry[] = [];
  for await (const { skills } of source.list({ signal, fresh: true }))
    entries.push(...skills.map(({ entry }) => entry));
  const rows: Row[] = [];
  await eachInParallel(entries, async (entry) => {
    const row = { uri: entry.uri, name: entry.frontmatter.name };
    const files = contentFiles(entry);
    const content = files === undefined ? {} : { content: await contentDigest(files) };
    const signature = await servedSignature({ label, entry }, source, gate, signal);
    rows.push({ ...row, ...content, signature: signature ?? { state: 'unsigned' } });
  });
  rows.sort((a, b) => (a.uri < b.uri ? -1 : 1));
  const good = rows.filter(({ signature }) => signature.state === 'signed').length;
  const exitCode = exitCodeOf(rows);
  const text =
    options.format === 'json'
      ? `${jsonText({ version: 1, origin: label, exitCode, signed: good, skills: rows }, 2)}\n`
      : textOf(rows, good, options, cli);
  const silent = options.quiet === true && options.format === 'text' && exitCode === exitCodes.ok;
  if (options.output !== undefined) await writeOutput(cli.cwd, options.output, text);
  else if (!silent) cli.stdout.write(text);
  return exitCode;
}

/** A signature that the origin did not deliver is unknown, not bad. */
function exitCodeOf(rows: readonly Row[]): ExitCode {
  const states = new Set(rows.map(({ signature }) => signature.state));
  states.delete('signed');
  if (states.size === 0) return exitCodes.ok;
  return states.size === 1 && states.has('unread') ? exitCodes.incomplete : exitCodes.verificationFailed;
}

function textOf(rows: readonly Row[], good: number, options: VerifySignerOptions, cli: Cli): string {
  const colors = colorsFor(cli.stdout, cli, options);
  const lines = rows
    .filter(({ signature }) => options.verbose === true || signature.state !== 'signed')
    .map(({ name, signature }) => {
      const word = signature.state === 'signed' ? colors.green('ok') : colors.red('FAILED');
      const verdict =
        signature.state === 'unread' ? `unread: ${displayText(signature.reason)}` : verdictText(signature);
      return `${word}  ${colors.bold(displayText(name))}  ${verdict}\n`;
    });
  return `${lines.join('')}${counted(rows.length, 'skill')}: ${good} signed, ${rows.length - good} failed\n`;
}
