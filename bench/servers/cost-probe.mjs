// Loaded into a program that ends by itself: writes what it has cost to the file that BENCH_COST names.
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cost = { cpu: (userCPUTime + systemCPUTime) / 1e6, rss: maxRSS / 1024 };
  writeFileSync(/** @type {string} */ (process.env.BENCH_COST), JSON.stringify(cost));
});
