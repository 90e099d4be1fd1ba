// Loaded into a program that exits by itself: writes its cost to the file in BENCH_COST.
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cost = { cpu: (userCPUTime + systemCPUTime) / 1e6, rss: maxRSS / 1024 };
  writeFileSync(/** @type {string} */ (process.env.BENCH_COST), JSON.stringify(cost));
});
