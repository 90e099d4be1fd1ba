/** Runs all checks of `doctor`. With `fix` it makes the safe fixes and reports them. */

import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { reasonOf } from '../../errors.ts';
import { type FoundConfiguration, findConfiguration } from '../../node/find-configuration.ts';
import { findProject } from '../../origins/project-folders.ts';
import { stateFolders } from '../../store/embedded/state-folders.ts';
import { installPlace } from '../../sync/install-place.ts';
import type { Cli } from '../cli.ts';
import type { ConnectionOptions } from '../options/connection-options.ts';
import { trustedAgents } from '../origins/origin-context.ts';
import { checkAgents } from './agent-checks.ts';
import { asFindings, type DoctorFinding, type DoctorReport } from './finding.ts';
import { checkInstalls } from './installed-checks.ts';
import { checkOrigins } from './origin-checks.ts';
import { checkStore, folderFindings, nodeFindings } from './system-checks.ts';

export interface ExamineOptions extends Pick<ConnectionOptions, 'config' | 'state'> {
  readonly fix: boolean;
  /** Contact no origin. */
  readonly offline: boolean;
}

export async function examine(options: ExamineOptions, cli: Cli, signal: AbortSignal): Promise<DoctorReport> {
  const { cwd, env } = cli;
  const home = homedir();
  const platform = process.platform;
  const state = options.state === undefined ? undefined : resolve(cwd, options.state);
  const folders = stateFolders({ env, home, platform, state });
  const findings: DoctorFinding[] = [...nodeFindings(process.version), ...(await folderFindings(folders))];

  let configuration: FoundConfiguration | undefined;
  const ofConfiguration = await asFindings(
    'configuration',
    'Fix the file. Its schema is schema/skillwire.json.',
    async () => {
      configuration = await findConfiguration({ cwd, env, home, platform }, options.config);
      return [];
    },
  );
  findings.push(...ofConfiguration);
  const extra =
    configuration === undefined ? [] : await trustedAgents(options, { ...cli, stderr: { write: () => true } });

  const project = findProject(cwd, home);
  const agents = await checkAgents({ home, project, env }, platform, extra);
  findings.push(...agents.findings);

  const shared = { home, project, env, platform, stateFolder: folders.state, agents: extra };
  const scopes = project === home ? (['global'] as const) : (['project', 'global'] as const);
  const installs = await checkInstalls(scopes.map((scope) => installPlace({ ...shared, scope })));
  findings.push(...installs.findings);

  const store = await checkStore(options, cli, signal);
  findings.push(...store.findings);
  // Without configuration or state the origins are unknown.
  const unknown = [...ofConfiguration, ...store.findings].some(({ level }) => level === 'problem');
  const origins = options.offline || unknown ? undefined : await checkOrigins(options, cli);
  findings.push(...(origins?.findings ?? []));

  return {
    node: process.version,
    platform,
    folders: { ...folders, configuration: configuration?.file },
    agents: agents.agents,
    installed: installs.installed,
    origins: origins?.origins,
    cached: store.cached,
    findings: options.fix ? await withFixes(findings) : findings,
  };
}

/** Makes the fixes. A finding whose fix fails stays, with the reason. */
async function withFixes(findings: readonly DoctorFinding[]): Promise<readonly DoctorFinding[]> {
  const after: DoctorFinding[] = [];
  for (const finding of findings) {
    try {
      after.push(finding.fix === undefined ? finding : { ...finding, fixed: await finding.fix() });
    } catch (error) {
      const reason = reasonOf(error);
      after.push({ ...finding, message: `${finding.message}. Not fixed: ${reason}` });
    }
  }
  return after;
}
