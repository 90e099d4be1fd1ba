/** `skillwire keygen`: makes a P-256 key that signs skills. */
import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { verifyingKey } from '../../signing/keys.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { type Cli, type GlobalOptions, runs } from '../cli.ts';
import { writeJson } from '../render/json-text.ts';
import { passphraseOf } from '../signing-files.ts';

interface KeygenOptions extends GlobalOptions {
  readonly out: string;
  readonly passphraseEnv?: string;
}

const help = `
Writes the private key to FILE, readable by you only, and the public key to FILE.pub. Existing files are not replaced. Keep
the private key out of repositories. Give the public key to people who verify your skills.

Exit codes:
  0 written, 2 failed

Examples:
  skillwire keygen
  skillwire keygen --out team.key --passphrase-env SIGNING_PASSPHRASE`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command
    .usage('[options]')
    .option('--out <file>', 'File for the private key', 'skillwire.key')
    .option('--passphrase-env <variable>', 'Encrypt the key with the passphrase in this variable')
    .addHelpText('after', help)
    .action(runs(cli, finish, keygen));
}

async function keygen({ out, passphraseEnv, json }: KeygenOptions, cli: Cli): Promise<ExitCode> {
  const passphrase = passphraseOf(cli, passphraseEnv);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encryption = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  const file = resolve(cli.cwd, out);
  await writeNew(file, privateKey.export({ type: 'pkcs8', format: 'pem', ...encryption }), 0o600);
  try {
    await writeNew(`${file}.pub`, publicKey.export({ type: 'spki', format: 'pem' }), 0o644);
  } catch (error) {
    // A private key without its public key would look finished.
    await rm(file, { force: true });
    throw error;
  }
  const { id } = verifyingKey(publicKey);
  if (json === true)
    writeJson(cli, { version: 1, file, publicKey: `${file}.pub`, key: id, encrypted: passphrase !== undefined });
  else {
    cli.stdout.write(`${displayText(out)}: private key${passphrase === undefined ? ', not encrypted' : ''}\n`);
    cli.stdout.write(`${displayText(out)}.pub: public key ${id}\n`);
  }
  return exitCodes.ok;
}

async function writeNew(file: string, text: string | Buffer, mode: number): Promise<void> {
  try {
    await writeFile(file, text, { mode, flag: 'wx' });
  } catch (cause) {
    const exists = (cause as { readonly code?: string }).code === 'EEXIST';
    const reason = exists ? 'it exists. Choose another name with --out' : (cause as Error).message;
    throw new SkillwireError('WRITE_FAILED', `Cannot write ${quoteText(file)}: ${reason}.`, { data: { file }, cause });
  }
}
