/** Steps that examples are made of. */
import { expect } from 'vitest';
import { readBytes } from '../peers/clients/reading.ts';
import type { Json, Wire } from '../peers/clients/wire.ts';
import type { Bench } from './example.ts';

type Pick = (bench: Bench) => Wire;

const usual: Pick = ({ wire }) => wire;

/** `resources/read` of the URI gives the bytes of the file, under the URI that was asked for. */
export function reads(uri: string, file: string, pick: Pick = usual): (bench: Bench) => Promise<void> {
  return async (bench) => {
    expect(Buffer.from(await readBytes(pick(bench), uri)).equals(bench.file(file))).toBe(true);
  };
}

export async function jsonAt(wire: Wire, uri: string): Promise<Json> {
  return JSON.parse(Buffer.from(await readBytes(wire, uri)).toString('utf8'));
}

/** Values of a variable of a template. */
export async function completed(
  wire: Wire,
  uri: string,
  name: string,
  value = '',
  chosen = {},
): Promise<readonly string[]> {
  const { completion } = await wire.request('completion/complete', {
    ref: { type: 'ref/resource', uri },
    argument: { name, value },
    context: { arguments: chosen },
  });
  return (completion as { values: readonly string[] }).values;
}

export async function rowsOf(wire: Wire, method: string, field: string, params: Json = {}): Promise<readonly Json[]> {
  return (await wire.request(method, params))[field] as readonly Json[];
}
