/**
 * `skillwire show`: shows one skill to a person who decides about it: entry, files, requests, approval, findings. Needs no approval. Verifies
 * `SKILL.md`, and with `--fetch` the other files.
 */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, VerificationError } from '../../errors.ts';
import { requestsOf } from '../../host/approve/skill-requests.ts';
import { hasUniqueNames } from '../../origins/named-origin.ts';
import { withSkill } from '../chosen-skill.ts';
import { type Cli, type GlobalOptions, runs } from '../cli.ts';
import { findSkill, originFindings } from '../find-skill.ts';
import { shownLabel } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp, skillHelp } from '../options/connection-options.ts';
import { startProgress } from '../progress.ts';
import { readFiles } from '../read-files.ts';
import { colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { capturedJson, dialectJson } from '../render/reading-json.ts';
import { approvalStateJson, skillText } from '../render/skill-text.ts';

interface ShowOptions extends GlobalOptions, ConnectionOptions {
  readonly fetch?: boolean;
}

const help = `
${originHelp}
${skillHelp}

Exit codes:
  0 shown, 2 failed or no such skill, 3 not authorized, 4 unreachable, 7 verification failed, 130 interrupted

Examples:
  skillwire show ./skills pdf-tools
  skillwire show mcp:http://127.0.0.1:4711/mcp skill://acme/refunds/SKILL.md
  skillwire show docs pdf-tools --fetch --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(
    command
      .usage('[LABEL=]ORIGIN SKILL [options]')
      .argument('<origin>', 'Origin of the skill')
      .argument('[skill]', 'Skill to show')
      .option('--fetch', 'Read all files to find network hosts, commands and hidden text'),
  )
    .addHelpText('after', help)
    .action(runs(cli, finish, show));
}

function show(origin: string, skill: string | undefined, options: ShowOptions, cli: Cli): Promise<ExitCode> {
  const words = { origin, words: [skill], command: 'show' };
  return withSkill(words, options, cli, async ({ host, origins: [named], signal }, chosenWords) => {
    const [reference] = chosenWords();
    const label = named?.label ?? origin;
    const progress = startProgress(cli, `Contacting ${shownLabel(label, cli.cwd)}`);
    try {
      const { captured, report } = await findSkill(host, label, reference, signal, hasUniqueNames(named));
      const read = await readFiles(host, captured, options.fetch === true ? 'all' : 'skill-file', signal, progress);
      const requests = requestsOf(captured.entry, read.texts);
      const approval = await host.approvals.state(captured);
      const signature = await host.approvals.signature(captured, read.texts);
      const status = await host.origins.get(label)?.source.status?.({ signal });
      const found = await originFindings(host, label, report, signal);
      const findings = found.filter(({ skill }) => skill === captured.entry.uri);
      progress.stop();
      if (options.json === true) {
        const failures = read.failures.map(({ reason, message, data }) => ({ reason, message, data }));
        const state = approvalStateJson(approval);
        const shown = {
          version: 1,
          ...capturedJson(captured),
          ...dialectJson(status),
          requests,
          fetched: options.fetch === true,
          approval: state,
          signature: signature?.verdict,
          refusal: signature?.refusal,
          findings,
          failures,
        };
        writeJson(cli, shown);
      } else {
        const colors = colorsFor(cli.stdout, cli, options);
        const shown = {
          captured,
          requests,
          approval,
          signature,
          findings,
          failures: read.failures,
          fetched: options.fetch === true,
        };
        const { dialect } = status ?? {};
        const place = { colors, cwd: cli.cwd, label: shownLabel(label, cli.cwd) };
        cli.stdout.write(skillText(shown, dialect === undefined ? place : { ...place, dialect }));
      }
      return read.failures.some((failure) => failure instanceof VerificationError)
        ? exitCodes.verificationFailed
        : exitCodes.ok;
    } finally {
      progress.stop();
    }
  });
}
