/** The files of `deploy/`, read as the programs that use them do: the manifests of an overlay, and each command line with its files. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadAll, load as loadYaml } from 'js-yaml';

const folder = join(import.meta.dirname, '../deploy');

export const deployPath = (file = ''): string => join(folder, file);
export const deployText = (file: string): string => readFileSync(deployPath(file), 'utf8');

export const overlays = ['embedded', 'postgres'] as const;
export type Overlay = (typeof overlays)[number];

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes check these
  readonly spec?: any;
  readonly data?: Readonly<Record<string, string>>;
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly configMapGenerator?: readonly { readonly name: string; readonly files: readonly string[] }[];
  readonly images?: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[];
}

/** Keys of `kustomization.yaml` that need no work. A file with an unknown key would be resolved wrongly. */
const otherKeys = ['apiVersion', 'kind', 'generatorOptions'];

/**
 * The manifests of an overlay, as `kubectl kustomize` prints them, for our few keys: resources, files for generated ConfigMaps without a
 * suffix, and images. A test compares both if there is a kubectl.
 */
export function manifestsOf(overlay: Overlay): readonly Manifest[] {
  return resolved(join('kubernetes/overlays', overlay));
}

function resolved(place: string): readonly Manifest[] {
  const file = join(place, 'kustomization.yaml');
  const { resources, configMapGenerator = [], images = [], ...others } = loadYaml(deployText(file)) as Kustomization;
  const unknown = Object.keys(others).filter((key) => !otherKeys.includes(key));
  if (unknown.length > 0) throw new Error(`"${file}" has keys that this reader does not know: ${unknown.join(', ')}`);
  const manifests = resources.flatMap((name) => {
    const path = join(place, name);
    return statSync(deployPath(path)).isDirectory() ? resolved(path) : (loadAll(deployText(path)) as Manifest[]);
  });
  const generated = configMapGenerator.map(({ name, files }) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: Object.fromEntries(files.map((one) => contentOf(place, one))),
  }));
  const all = [...manifests, ...generated];
  return all.map(withImage);

  function withImage(manifest: Manifest): Manifest {
    const image = images.find(({ name }) => name === podOf(manifest)?.containers[0]?.image);
    if (image === undefined) return manifest;
    const copy = structuredClone(manifest);
    const pod = podOf(copy);
    for (const container of pod?.containers ?? [])
      if (container.image === image.name) container.image = `${image.newName}:${image.newTag}`;
    return copy;
  }
}

/** `KEY=PATH`, or a path whose name is the key. */
function contentOf(place: string, text: string): readonly [string, string] {
  const [key = '', path = key] = text.split('=');
  return [text.includes('=') ? key : basename(key), deployText(join(place, path))];
}

interface Container {
  image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string }[];
}

export interface Pod {
  readonly containers: Container[];
  readonly terminationGracePeriodSeconds: number;
}

export function podOf({ spec }: Manifest): Pod | undefined {
  return spec?.template?.spec as Pod | undefined;
}

/** How a file of `deploy/` starts the server. Paths are those of the container or machine. */
export interface DeployedServer {
  readonly name: string;
  /** The arguments after `skillwire`. */
  readonly args: readonly string[];
  readonly configuration: string;
  readonly needsDatabase: boolean;
  /** How long its manager waits after SIGTERM, in seconds. */
  readonly graceSeconds: number;
}

/** The text of an instruction of the last stage, with continued lines joined. */
export function instruction(name: string): string {
  const joined = deployText('Dockerfile').replaceAll(/\\\n\s*/g, ' ');
  const found = joined.split('\n').filter((line) => line.startsWith(`${name} `));
  return found.at(-1)?.slice(name.length + 1) ?? '';
}

/** The settings of a systemd unit, in order. */
export function unitSettings(): readonly (readonly [string, string])[] {
  return deployText('systemd/skillwire.service')
    .split('\n')
    .flatMap((line) => {
      const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return key === undefined || value === undefined ? [] : [[key, value] as const];
    });
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
}
interface ComposeService {
  readonly command?: readonly string[];
  readonly stop_grace_period?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
}

export const compose = (): ComposeFile => loadYaml(deployText('compose/compose.yaml')) as ComposeFile;

export function deployedServers(): readonly DeployedServer[] {
  const service = compose().services['skillwire'];
  const unit = Object.fromEntries(unitSettings());
  const [program, ...unitArgs] = (unit['ExecStart'] ?? '').split(' ');
  if (program !== '/opt/skillwire/bin/skillwire') throw new Error(`The unit starts ${program}.`);
  return [
    {
      name: 'the image',
      args: JSON.parse(instruction('CMD')) as string[],
      // The image has no configuration of its own.
      configuration: deployText('kubernetes/overlays/embedded/skillwire.json'),
      needsDatabase: false,
      graceSeconds: seconds(service?.stop_grace_period),
    },
    {
      name: 'compose',
      args: service?.command ?? [],
      configuration: deployText('compose/skillwire.json'),
      needsDatabase: true,
      graceSeconds: seconds(service?.stop_grace_period),
    },
    {
      name: 'systemd',
      args: unitArgs,
      configuration: deployText('systemd/skillwire.json'),
      needsDatabase: false,
      graceSeconds: seconds(unit['TimeoutStopSec']),
    },
    ...overlays.map((overlay) => {
      const pod = manifestsOf(overlay).flatMap((one) => podOf(one) ?? [])[0];
      return {
        name: `kubernetes, ${overlay}`,
        args: pod?.containers[0]?.args ?? [],
        configuration: deployText(`kubernetes/overlays/${overlay}/skillwire.json`),
        needsDatabase: overlay === 'postgres',
        graceSeconds: pod?.terminationGracePeriodSeconds ?? 0,
      };
    }),
  ];
}

/** The value of an option, in either spelling. */
export function optionOf(args: readonly string[], name: string): string | undefined {
  const joined = args.find((arg) => arg.startsWith(`${name}=`));
  return joined?.slice(name.length + 1) ?? (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
}

export function seconds(text = ''): number {
  const [, count] = /^(\d+)s$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`"${text}" is not a number of seconds.`);
  return Number(count);
}

/** Every file below `deploy/`, with "/" between folders. */
export const deployFiles = (): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => statSync(deployPath(name)).isFile());
