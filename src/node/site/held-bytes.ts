/**
 * Copies of files by digest, as many as there is room for. They lie behind one another in a few large pieces of memory: a piece for
 * each small file would take longer to get than to fill.
 */

export interface HeldBytes {
  /** Copies the bytes, unless there is no room left. */
  hold(digest: string, bytes: Uint8Array): void;
  get(digest: string): Uint8Array | undefined;
}

const pieceBytes = 4 * 1024 * 1024;

export function createHeldBytes(maxBytes: number): HeldBytes {
  const held = new Map<string, Uint8Array>();
  let piece = Buffer.alloc(0);
  let used = 0;
  let left = maxBytes;

  function room(length: number): Buffer {
    if (length > pieceBytes / 4) return Buffer.allocUnsafeSlow(length);
    if (used + length > piece.length) {
      piece = Buffer.allocUnsafeSlow(pieceBytes);
      used = 0;
    }
    used += length;
    return piece.subarray(used - length, used);
  }

  return {
    hold(digest, bytes) {
      if (bytes.length > left || held.has(digest)) return;
      left -= bytes.length;
      const copy = room(bytes.length);
      copy.set(bytes);
      held.set(digest, copy);
    },
    get: (digest) => held.get(digest),
  };
}
