/** `skillwire verify --signer`: whether every skill of an origin is signed, whole, by one signer. Reads entries and signatures only. */
import { type ExitCode, exitCodes } from '../errors.ts';
import type { TrustedSigner } from '../signing/signer.ts';
import { verdictText } from '../signing/verdict-text.ts';
import { type SignatureVerdict, verifySignature } from '../signing/verify-signature.ts';
import { contentDigest } from '../skill/content-digest.ts';
import { displayText } from '../skill/display-text.ts';
import type { Cli, GlobalOptions } from './cli.ts';
import type { Session } from './open-host.ts';
import { writeOutput } from './options/output-options.ts';
import { colorsFor } from './render/color.ts';
import { jsonText } from './render/json-text.ts';
import { counted } from './render/values.ts';
import { servedSkill } from './signature-findings.ts';

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
  readonly signature: SignatureVerdict;
}

export async function verifySigner(
  { host, signal }: Session,
  signer: TrustedSigner,
  options: VerifySignerOptions,
  cli: Cli,
): Promise<ExitCode> {
  const [origin] = host.origins.list();
  if (origin === undefined) throw new TypeError('no origin');
  const trust = { signers: [signer], at: new Date() };
  const rows: Row[] = [];
  for await (const { skills } of origin.source.list({ signal, fresh: true }))
    for (const { entry } of skills) {
      const skill = await servedSkill(origin.source, entry, signal);
      const row = { uri: entry.uri, name: entry.frontmatter.name };
      if (skill === undefined) rows.push({ ...row, signature: { state: 'unsigned' } });
      else {
        const content = await contentDigest(skill.files);
        rows.push({ ...row, content, signature: await verifySignature(skill, trust) });
      }
    }
  rows.sort((a, b) => (a.uri < b.uri ? -1 : 1));
  const good = rows.filter(({ signature }) => signature.state === 'signed').length;
  const exitCode = good === rows.length ? exitCodes.ok : exitCodes.verificationFailed;
  const text =
    options.format === 'json'
      ? `${jsonText({ version: 1, origin: origin.label, exitCode, signed: good, skills: rows }, 2)}\n`
      : textOf(rows, good, options, cli);
  const silent = options.quiet === true && options.format === 'text' && exitCode === exitCodes.ok;
  if (options.output !== undefined) await writeOutput(cli.cwd, options.output, text);
  else if (!silent) cli.stdout.write(text);
  return exitCode;
}

function textOf(rows: readonly Row[], good: number, options: VerifySignerOptions, cli: Cli): string {
  const colors = colorsFor(cli.stdout, cli, options);
  const lines = rows
    .filter(({ signature }) => options.verbose === true || signature.state !== 'signed')
    .map(({ name, signature }) => {
      const word = signature.state === 'signed' ? colors.green('ok') : colors.red('FAILED');
      return `${word}  ${colors.bold(displayText(name))}  ${verdictText(signature)}\n`;
    });
  return `${lines.join('')}${counted(rows.length, 'skill')}: ${good} signed, ${rows.length - good} failed\n`;
}
