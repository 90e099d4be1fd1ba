const pieceBytes = 4 * 1024 * 1024;

export function createByteCopies(maxBytes: number) {
  const copies = new Map<string, Uint8Array>();
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
    /** Copies the bytes if there is room. */
    add(digest: string, bytes: Uint8Array): void {
      if (bytes.length > left || copies.has(digest)) return;
      left -= bytes.length;
      const copy = room(bytes.length);
      copy.set(bytes);
      copies.set(digest, copy);
    },
    get: (digest: string): Uint8Array | undefined => copies.get(digest),
  };
}

/**
 * Copies of files by digest, up to a limit. They share a few large buffers: allocating a buffer for each small file would take longer than
 * filling it.
 */
export type ByteCopies = ReturnType<typeof createByteCopies>;
