/** The files of `deploy/` fit the published schemas, restrict what they start, and agree with the server and with each other. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { validate as validateDockerfile } from 'dockerfile-utils';
import { loadAll } from 'js-yaml';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { limits } from '../../src/limits.ts';
import {
  compose,
  deployedServers,
  deployFiles,
  deployPath,
  deployText,
  instruction,
  type Manifest,
  manifestsOf,
  optionOf,
  overlays,
  podOf,
  seconds,
  unitSettings,
} from '../deploy-files.ts';

const project = join(import.meta.dirname, '../..');
const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** The schemas of Kubernetes, by API group. */
const models: Readonly<Record<string, () => Promise<unknown>>> = {
  v1: () => import('kubernetes-models/v1'),
  'apps/v1': () => import('kubernetes-models/apps/v1'),
  'autoscaling/v2': () => import('kubernetes-models/autoscaling/v2'),
  'networking.k8s.io/v1': () => import('kubernetes-models/networking.k8s.io/v1'),
  'policy/v1': () => import('kubernetes-models/policy/v1'),
};

/** Wrong values and missing keys, by the schemas of Kubernetes. */
async function valueFaults(manifest: Manifest): Promise<readonly string[]> {
  const group = (await models[manifest.apiVersion]?.()) as
    | Readonly<Record<string, new (data: Manifest) => { validate(): void }>>
    | undefined;
  const Model = group?.[manifest.kind];
  if (Model === undefined) return [`unknown kind ${manifest.apiVersion} ${manifest.kind}`];
  try {
    new Model(manifest).validate();
    return [];
  } catch (error) {
    return [String(error)];
  }
}

/** Unknown keys, which the schemas allow and TypeScript does not. */
function keyFaults(manifests: readonly Manifest[]): readonly string[] {
  const file = join(project, 'test', 'manifests.generated.ts');
  const text = manifests
    .map(({ apiVersion, kind }, index) => {
      const type = `import('kubernetes-models/${apiVersion}', { with: { 'resolution-mode': 'import' } }).I${kind}`;
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifests[index])};`;
    })
    .join('\n');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

describe.each(overlays)('the overlay %s', (overlay) => {
  const manifests = manifestsOf(overlay);
  const pods = manifests.flatMap((one) => podOf(one) ?? []);

  test.each(manifests.map((one) => [`${one.kind} ${one.metadata.name}`, one] as const))('%s', async (_, manifest) => {
    expect(await valueFaults(manifest)).toEqual([]);
  });

  test('has no unknown keys', () => {
    expect(keyFaults(manifests)).toEqual([]);
  });

  test.runIf(has('kubectl'))('is what kustomize makes of it', () => {
    const { status, stdout, stderr } = spawnSync(
      'kubectl',
      ['kustomize', deployPath(`kubernetes/overlays/${overlay}`)],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([0, '']);
    const byName = (all: readonly Manifest[]) =>
      [...all].sort((one, other) => keyOf(one).localeCompare(keyOf(other), 'en'));
    expect(byName(loadAll(stdout) as Manifest[])).toEqual(byName(manifests));
  });

  test('refers to what is there', () => {
    const names = new Set(manifests.map(keyOf));
    expect(names.size).toBe(manifests.length);
    const [pod] = pods;
    expect(pods).toHaveLength(1);
    const { spec } = manifests.find((one) => podOf(one) !== undefined) ?? {};
    expect(names).toContain(`ServiceAccount/${spec.template.spec.serviceAccountName}`);
    const claims = (spec.volumeClaimTemplates ?? []).map((one: Manifest) => one.metadata.name);
    const volumes = spec.template.spec.volumes as { name: string; configMap?: { name: string; items?: Item[] } }[];
    for (const { configMap } of volumes) {
      if (configMap === undefined) continue;
      const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMap.name);
      for (const { key } of configMap.items ?? []) expect(Object.keys(map?.data ?? {})).toContain(key);
      expect(map, configMap.name).toBeDefined();
    }
    const mounted = spec.template.spec.containers[0].volumeMounts.map(({ name }: Item) => name).sort();
    expect(mounted).toEqual([...claims, ...volumes.map(({ name }) => name)].sort());
    for (const { kind, spec: own } of manifests) {
      const selector =
        own?.selector?.matchLabels ?? (kind === 'Service' ? own?.selector : own?.podSelector?.matchLabels);
      if (selector !== undefined) expect(spec.template.metadata.labels).toMatchObject(selector);
    }
    const services = manifests.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name);
    if (spec.serviceName !== undefined) expect(services).toContain(spec.serviceName);
    expect(optionValues(pod?.containers[0]?.args ?? [], '--allowed-host')).toEqual(expect.arrayContaining(services));
  });

  test('its pod has no more rights than it needs', () => {
    for (const pod of pods as unknown as RestrictedPod[]) {
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const { securityContext, resources } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources).toMatchObject({
          requests: { cpu: expect.anything() },
          limits: { memory: expect.anything() },
        });
      }
    }
  });

  test('its probes notice a server that drains before it closes', () => {
    for (const pod of pods as unknown as RestrictedPod[])
      for (const { args, readinessProbe, livenessProbe } of pod.containers) {
        expect([readinessProbe.httpGet.path, livenessProbe.httpGet.path]).toEqual(['/readyz', '/healthz']);
        const noticed = readinessProbe.periodSeconds * readinessProbe.failureThreshold + readinessProbe.timeoutSeconds;
        expect(seconds(optionOf(args, '--drain'))).toBeGreaterThan(noticed);
      }
  });
});

interface Item {
  readonly name: string;
  readonly key: string;
}

interface RestrictedPod {
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly securityContext: object;
    readonly resources: object;
    readonly livenessProbe: Probe;
    readonly readinessProbe: Probe;
  }[];
}

interface Probe {
  readonly httpGet: { readonly path: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
  readonly timeoutSeconds: number;
}

const keyOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;

function optionValues(args: readonly string[], name: string): readonly string[] {
  return args.flatMap((arg) => (arg.startsWith(`${name}=`) ? [arg.slice(name.length + 1)] : []));
}

test('both pods differ only in the database and their state', () => {
  const [embedded, postgres] = overlays.map((overlay) => {
    const pod = structuredClone(manifestsOf(overlay).find((one) => podOf(one) !== undefined)?.spec.template.spec);
    delete pod.topologySpreadConstraints;
    delete pod.containers[0].env;
    pod.volumes = pod.volumes.filter(({ name }: Item) => name !== 'state');
    return pod;
  });
  expect(postgres).toEqual(embedded);
});

test('a manifest with a fault is refused', async () => {
  const deployment = manifestsOf('postgres').find(({ kind }) => kind === 'Deployment') as Manifest;
  const faulty = async (change: (pod: Manifest['spec']) => void): Promise<string> => {
    const copy = structuredClone(deployment);
    change(copy.spec.template.spec);
    return [...(await valueFaults(copy)), ...keyFaults([copy])].join('\n');
  };
  expect(await faulty((pod) => Object.assign(pod, { nodeselector: {} }))).toContain('nodeselector');
  expect(await faulty((pod) => Object.assign(pod, { terminationGracePeriodSeconds: '30s' }))).toContain('integer');
  expect(await faulty((pod) => Object.assign(pod.containers[0], { imagePullPolicy: 'Sometimes' }))).toContain(
    'allowed',
  );
  expect(await faulty((pod) => Object.assign(pod, { containers: undefined }))).toContain('containers');
});

test('the servers get more time to stop than they need', () => {
  for (const { name, args, graceSeconds } of deployedServers()) {
    const needed = seconds(optionOf(args, '--drain')) + limits.http.shutdownMs / 1000;
    expect(graceSeconds, name).toBeGreaterThan(needed);
  }
});

describe('the Dockerfile', () => {
  const text = deployText('Dockerfile');
  const messages = (dockerfile: string): readonly string[] =>
    validateDockerfile(dockerfile, {}).map(({ message, range }) => `${range.start.line + 1}: ${message}`);

  test('is valid', () => {
    expect(messages(text)).toEqual([]);
    expect(messages(text.replace('USER 65532:65532', 'USR 65532'))).toHaveLength(1);
  });

  test('copies what the context has', () => {
    const allowed =
      deployText('Dockerfile.dockerignore')
        .match(/^!.*$/gm)
        ?.map((line) => line.slice(1)) ?? [];
    for (const path of allowed) expect(existsSync(join(project, path)), path).toBe(true);
    for (const [, paths = ''] of text.matchAll(/^COPY ((?!--from)[^\n]+) \S+$/gm))
      for (const path of paths.split(' ')) if (path !== '.') expect(allowed).toContain(path);
  });

  test('ends with a stage without build tools, that runs without rights', () => {
    const last = text.slice(text.lastIndexOf('\nFROM '));
    expect(last).not.toMatch(/\bnpm\b|FROM node/);
    expect(instruction('USER')).toBe('65532:65532');
    expect(JSON.parse(instruction('ENTRYPOINT'))).toEqual(['tini', '--', 'node', '/opt/skillwire/dist/cli/main.js']);
    expect(last).toContain('HEALTHCHECK');
    const { files } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { files: string[] };
    for (const name of files.filter((one) => !one.endsWith('.md'))) expect(last).toContain(`/build/${name}`);
  });

  test('has the optional packages of a server, in the versions of the lock file', () => {
    const { status, stdout } = spawnSync(process.execPath, [deployPath('image-packages.mjs')], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout.trim().split(' ')).toEqual(expect.arrayContaining([expect.stringMatching(/^pg@8\.\d+\.\d+$/)]));
    expect(stdout).not.toContain('undefined');
  });
});

describe('the compose file', () => {
  const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] });
  const messages = (file: string): readonly string[] =>
    linter
      .lintFiles([file], false)
      .flatMap((result: { messages: { message: string }[] }) => result.messages.map(({ message }) => message));

  test('fits its schema and its linter', () => {
    expect(messages(deployPath('compose/compose.yaml'))).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), 'skillwire-compose-'));
    try {
      const file = join(folder, 'compose.yaml');
      writeFileSync(file, deployText('compose/compose.yaml').replace('read_only:', 'readonly:'));
      expect(messages(file).join('\n')).toContain('additional properties');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('its server is restricted, and no password is in the file', () => {
    const { skillwire, postgres } = compose().services;
    expect(skillwire).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(postgres?.environment['POSTGRES_PASSWORD']).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    expect(deployText('compose/.env.example')).toMatch(/^POSTGRES_PASSWORD=$/m);
  });
});

describe('the unit', () => {
  test.runIf(has('systemd-analyze'))('systemd accepts it, and finds little that it could do', () => {
    const folder = mkdtempSync(join(tmpdir(), 'skillwire-unit-'));
    const verified = (text: string): readonly [number | null, string] => {
      const file = join(folder, 'skillwire.service');
      // The program must exist.
      writeFileSync(file, text.replace('/opt/skillwire/bin/skillwire', process.execPath));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
      return [status, stderr];
    };
    try {
      const text = deployText('systemd/skillwire.service');
      expect(verified(text)).toEqual([0, '']);
      expect(verified(text.replace('ProtectHome', 'ProtectHomes'))[1]).toContain('ProtectHomes');
      const file = deployPath('systemd/skillwire.service');
      const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file]);
      expect(judged.status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('restricts the server', () => {
    const settings = new Map(unitSettings());
    const wanted = { User: 'skillwire', NoNewPrivileges: 'yes', ProtectSystem: 'strict', CapabilityBoundingSet: '' };
    for (const [key, value] of Object.entries(wanted)) expect([key, settings.get(key)]).toEqual([key, value]);
    // Node compiles while it runs, and the claim of a state folder needs the id of the boot, which is outside of /proc/PID.
    expect(settings.has('MemoryDenyWriteExecute') || settings.has('ProcSubset')).toBe(false);
    expect(deployText('systemd/skillwire.sysusers.conf')).toMatch(/^u skillwire - "[^"]+" \/var\/lib\/skillwire$/m);
  });
});

test('examples of skills are the same everywhere, and no file is without a use', () => {
  const [one, other] = deployFiles().filter((name) => name.endsWith('SKILL.md'));
  expect(deployText(one ?? '')).toBe(deployText(other ?? ''));
  const used = deployFiles().filter((name) => name.startsWith('kubernetes/') && name.endsWith('.yaml'));
  const named = used
    .filter((name) => name.endsWith('kustomization.yaml'))
    .flatMap((name) =>
      [...deployText(name).matchAll(/^ {2}- ([\w-]+\.yaml)$/gm)].map(([, file]) =>
        name.replace('kustomization.yaml', file ?? ''),
      ),
    );
  expect(used.filter((name) => !name.endsWith('kustomization.yaml')).sort()).toEqual(named.sort());
});
