/** How many times more than usual a test repeats itself: 1, or what `npm run soak` asks for. */
export const soakFactor = Math.max(1, Number(process.env['SKILLWIRE_SOAK'] ?? 1));
