// Draws numbers and choices from the distributions of shapes.json. The same seed gives the same draws on every machine.
import { readFileSync } from 'node:fs';

/**
 * @typedef {{ mean: number, points: readonly number[] }} Quantiles values at the parts that `quantiles` of shapes.json lists
 * @typedef {Readonly<Record<string, number>>} Counts how often each choice was seen
 * @typedef {object} Population
 * @property {number} skills
 * @property {Readonly<Record<string, number>>} shares
 * @property {Quantiles} descriptionLength
 * @property {Quantiles} skillMdBytes
 * @property {Quantiles} filesPerSkill
 * @property {Quantiles} fileBytes
 * @property {Quantiles} depthBelowRoot
 * @property {Counts} keySets
 * @property {Readonly<Record<string, Counts>>} kinds
 * @property {Counts} extensions
 * @property {Counts} subfolders
 */

/**
 * @type {{ quantiles: readonly number[], populations: Record<'single' | 'aggregate', Population>, bodies: Record<string, number>, refused:
 * Record<string, number> }}
 */
export const shapes = JSON.parse(readFileSync(new URL('./shapes.json', import.meta.url), 'utf8'));

const largestPart = shapes.quantiles.at(-2) ?? 1;

/** @typedef {ReturnType<typeof createDraw>} Draw */

/** @param {number} seed @param {number} [stream] draws of other streams are independent */
export function createDraw(seed, stream = 0) {
  // Mulberry32.
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    /** @param {number} share */
    chance: (share) => next() < share,
    /** @param {number} low @param {number} high inclusive */
    whole: (low, high) => low + Math.floor(next() * (high - low + 1)),
    /** @template Item @param {readonly Item[]} items @returns {Item} */
    one: (items) => /** @type {Item} */ (items[Math.floor(next() * items.length)]),
    /** @param {Counts} counts */
    choice(counts) {
      const { names, sums } = summed(counts);
      const at = next() * (sums.at(-1) ?? 0);
      let low = 0;
      for (let high = sums.length - 1; low < high; ) {
        const middle = (low + high) >> 1;
        if (/** @type {number} */ (sums[middle]) > at) high = middle;
        else low = middle + 1;
      }
      return /** @type {string} */ (names[low]);
    },
    /**
     * A value between the quantiles, interpolated by logarithms because the last quantiles are far apart. The largest value is never drawn,
     * because nothing is known between the last two.
     * @param {Quantiles} quantiles
     */
    amount({ points }) {
      const part = Math.min(next(), largestPart);
      const above = shapes.quantiles.findIndex((known) => part <= known);
      const [low, high] = [points[Math.max(0, above - 1)] ?? 1, points[above] ?? 1];
      const from = above === 0 ? 0 : (shapes.quantiles[above - 1] ?? 0);
      const share = (part - from) / ((shapes.quantiles[above] ?? 1) - from);
      return Math.round(Math.max(1, low) * (Math.max(1, high) / Math.max(1, low)) ** share);
    },
  };
}

/** @type {WeakMap<Counts, { names: readonly string[], sums: readonly number[] }>} */
const known = new WeakMap();

/** @param {Counts} counts */
function summed(counts) {
  const found = known.get(counts);
  if (found !== undefined) return found;
  let sum = 0;
  const made = { names: Object.keys(counts), sums: Object.values(counts).map((count) => (sum += count)) };
  known.set(counts, made);
  return made;
}
