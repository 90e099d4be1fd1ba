/**
 * When this machine first saw content with a valid signature: `['signature-seen', content, signer]`. It lets content stay valid whose
 * certificate expired, or whose key was retired, after that time.
 */
import { coalesced } from '../../async/shared-work.ts';
import type { JsonValue } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import { readSignerIdentity, type SignerIdentity, signerKey } from '../../skill/signer-identity.ts';
import type { StateKey } from '../state-kinds.ts';
import type { KeyValueStore, StateWrite } from '../store.ts';

export interface SeenSignature {
  readonly signer: SignerIdentity;
  readonly at: Date;
}

export const seenSignatureKind = 'signature-seen';

/** @param state opened on first use */
export function seenSignatures(state: () => Promise<Pick<KeyValueStore, 'entries' | 'transact'>>) {
  let pending: StateWrite[] = [];
  // A write waits for the disk, so those of many skills go together.
  const write = coalesced(async () => {
    const writes = pending;
    pending = [];
    if (writes.length > 0) await (await state()).transact(() => ({ writes, result: undefined }));
  });
  return {
    async read(content: string): Promise<readonly SeenSignature[]> {
      const entries = await (await state()).entries([seenSignatureKind, content]);
      return entries.flatMap(({ value }) => readSeen(value) ?? []);
    },
    async add(content: string, signer: SignerIdentity, at: Date): Promise<void> {
      const key: StateKey = [seenSignatureKind, content, signerKey(signer)];
      pending.push({ key, value: { version: 1, at: at.toISOString(), signer: { ...signer } } });
      await write();
    },
  };
}

function readSeen(value: JsonValue): SeenSignature | undefined {
  if (!isJsonObject(value) || typeof value.at !== 'string') return undefined;
  const signer = readSignerIdentity(value.signer);
  const at = new Date(value.at);
  return signer === undefined || Number.isNaN(at.getTime()) ? undefined : { signer, at };
}
