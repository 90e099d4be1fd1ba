/** `skillwire status`: shows the health of a running server and its origins, from its `/status`. */
import type { Command } from 'commander';
import { z } from 'zod';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import type { ServerStatus } from '../../node/http/server-health.ts';
import { secretIn } from '../../origins/credentials.ts';
import { isLoopbackName } from '../../origins/http-address.ts';
import { createHttpClient } from '../../outbound/http-client.ts';
import type { HttpAnswer } from '../../outbound/http-messages.ts';
import { displayText } from '../../skill/display-text.ts';
import { statusPath } from '../../surfaces/routes.ts';
import type { UpstreamReport } from '../../transforms/upstream-report.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { interruptible } from '../interrupts.ts';
import { type ConnectionOptions, insecureOption, timeoutOption, tokenOption } from '../options/connection-options.ts';
import { defaultListenAddress } from '../options/listen-address.ts';
import { type Colors, colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { isWhole, replicasText } from '../render/replicas-text.ts';
import { waitingText } from '../render/serve-text.ts';
import { type Column, tableText, tableWidth } from '../render/table.ts';
import { counted, secondText } from '../render/values.ts';

type StatusOptions = GlobalOptions & Pick<ConnectionOptions, 'tokenEnv' | 'timeout' | 'insecureHttp'>;

const usual = `http://${defaultListenAddress.host}:${defaultListenAddress.port}`;

const help = `
URL is the scheme, host and port of a server (default: ${usual}). A server with tokens needs the token of an operator:
"skillwire token add NAME --profile PROFILE --operator".

States:
  ok            serving what the origin lists
  stale         the origin does not answer; serving its last listing
  empty         the origin lists no skills
  pending       no answer yet
  unauthorized, unreachable, no-extension, invalid   not served

Servers with a shared store also list its replicas: live, or silent.

Exit codes:
  0 every origin is ok or empty, 1 another state, waiting skills, a refused configuration or a silent replica, 2 failed or
  not a Skillwire server, 3 not authorized, 4 unreachable, 130 interrupted

Examples:
  skillwire status
  skillwire status https://skills.example.com --token-env OPERATOR_TOKEN --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command
    .usage('[URL] [options]')
    .argument('[url]', 'Address of the server', usual)
    .addOption(tokenOption())
    .addOption(timeoutOption('Timeout for the answer'))
    .addOption(insecureOption())
    .addHelpText('after', help)
    .action(async (url: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<StatusOptions>();
      finish(await interruptible((signal) => status(url, options, cli, signal)));
    });
}

async function status(url: string, options: StatusOptions, cli: Cli, signal: AbortSignal): Promise<ExitCode> {
  const found = await ask(url, options, cli, signal);
  const refusal = found.configuration?.refusal;
  const waiting = waitingText(found.skills, found.unserved, 'skillwire review', `${new URL(url).origin}/#/review`);
  const well =
    waiting === undefined &&
    refusal === undefined &&
    found.origins.every(({ state }) => state === 'ok' || state === 'empty') &&
    (found.replicas === undefined || isWhole(found.replicas));
  const exit = well ? exitCodes.ok : exitCodes.findings;
  if (options.json === true) {
    writeJson(cli, found);
    return exit;
  }
  const colors = colorsFor(cli.stdout, cli, options);
  const { skills, listed, version, since } = found;
  const unlisted = skills === listed ? '' : ` (${skills - listed} not listed)`;
  cli.stdout.write(
    `skillwire ${displayText(version)}: ${counted(skills, 'skill')}${unlisted}, since ${secondText(since)}\n`,
  );
  if (waiting !== undefined) cli.stdout.write(`${colors.yellow(waiting)}\n`);
  cli.stdout.write(tableText(found.origins, columns(), { width: tableWidth(cli.stdout), colors }));
  for (const { label, reason } of found.origins)
    if (reason !== undefined) cli.stdout.write(`${displayText(label)}: ${displayText(reason)}\n`);
  if (found.replicas !== undefined)
    cli.stdout.write(replicasText(found.replicas, { width: tableWidth(cli.stdout), colors }));
  if (refusal !== undefined) {
    const why = refusal.reason === undefined ? '' : `: ${displayText(refusal.reason)}`;
    cli.stdout.write(`configuration: refused at ${secondText(refusal.at)}, the previous one stays active${why}\n`);
  }
  return exit;
}

async function ask(url: string, options: StatusOptions, cli: Cli, signal: AbortSignal): Promise<ServerStatus> {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base === undefined || !/^https?:$/.test(base.protocol))
    throw usageError(`"${url}" is not the address of a server. For example: ${usual}`);
  const insecureHttp = options.insecureHttp === true;
  if (base.protocol === 'http:' && !insecureHttp && !isLoopbackName(base.hostname))
    throw usageError(`"http:" to "${base.hostname}" is insecure. Use https:, or add --insecure-http.`);
  const { tokenEnv, timeout } = options;
  const token = tokenEnv === undefined ? undefined : secretIn(tokenEnv, 'the bearer token', cli.env);
  const client = createHttpClient({ trustedHost: base.hostname, insecureHttp });
  try {
    const answer = await client.request({
      url: new URL(statusPath, base),
      signal,
      headers: { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      deadlineMs: timeout,
    });
    return decoded(answer, base.origin);
  } finally {
    client.close();
  }
}

function decoded({ status: code, body }: HttpAnswer, origin: string): ServerStatus {
  if (code === 401 || code === 403)
    throw new SkillwireError(
      'NOT_AUTHORIZED',
      `${origin} shows its status to operators only. Name an operator token with --token-env.`,
      { data: { origin, status: code } },
    );
  const noServer = (): SkillwireError =>
    new SkillwireError('BAD_ANSWER', `${origin} is not a Skillwire server of this version: it answered ${code}.`, {
      data: { origin, status: code },
    });
  if (code !== 200) throw noServer();
  try {
    const read = document.safeParse(JSON.parse(new TextDecoder().decode(body)));
    if (read.success) return read.data as ServerStatus;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw noServer();
}

const number = z.int().min(0);
const document = z.object({
  version: z.string(),
  replica: z.string(),
  since: z.string(),
  ready: z.boolean(),
  skills: number,
  listed: number,
  unserved: z.object({ waiting: number, denied: number, disabled: number, absent: number }).optional(),
  findings: z.object({ problems: number, warnings: number, notes: number }),
  origins: z.array(
    z.object({
      label: z.string(),
      kind: z.string(),
      state: z.string(),
      since: z.string(),
      reason: z.string().optional(),
      code: z.string().optional(),
      skills: number,
      refused: number,
      listedAt: z.string().optional(),
      nextAt: z.string().optional(),
      dialect: z.string().optional(),
      breaker: z.string(),
      calls: z.object({ ok: number, failed: number, refused: number, ms: z.number().min(0) }),
      mismatches: number,
    }),
  ),
  replicas: z
    .object({
      applied: number,
      lag: number,
      serves: z.boolean(),
      away: z.object({ since: z.string(), reason: z.string() }).optional(),
      members: z
        .array(
          z.object({
            id: z.string(),
            version: z.string(),
            applied: number,
            silentMs: z.number().min(0),
            live: z.boolean(),
          }),
        )
        .optional(),
    })
    .optional(),
  configuration: z
    .object({
      applied: number,
      refused: number,
      refusal: z.object({ at: z.string(), reason: z.string().optional() }).optional(),
    })
    .optional(),
});

function columns(): readonly Column<UpstreamReport>[] {
  return [
    { title: 'ORIGIN', text: ({ label }) => label, style: (_, colors) => colors.bold },
    { title: 'STATE', text: ({ state }) => state, style: ({ state }, colors) => stateColor(state, colors) },
    { title: 'KIND', text: ({ kind }) => kind },
    { title: 'SKILLS', right: true, text: ({ skills }) => String(skills) },
    { title: 'REFUSED', right: true, text: ({ refused }) => String(refused) },
    { title: 'SINCE', text: ({ since }) => secondText(since) },
    { title: 'LISTED', rest: true, text: ({ listedAt }) => secondText(listedAt) },
  ];
}

function stateColor(state: string, colors: Colors): (text: string) => string {
  if (state === 'ok') return colors.green;
  return state === 'stale' || state === 'empty' || state === 'pending' ? colors.yellow : colors.red;
}
