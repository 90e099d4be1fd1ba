// Takes the pictures of the page for the documentation, with the example skills in Chromium: docs/pictures/page-*.png. Run it when the page
// looks different.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = [process.env.CHROMIUM, ...usual].find((path) => path !== undefined && existsSync(path));
const main = resolve('dist/cli/main.js');
if (executablePath === undefined || !existsSync(main)) {
  console.error('Run `npm run build` and `npm run browser:install` first.');
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'skillwire-screenshots-'));
cpSync('examples/skills', join(folder, 'skills'), { recursive: true });
mkdirSync(join(folder, 'skills/release-notes'));
writeFileSync(join(folder, 'skills/release-notes/SKILL.md'), '---\nname: Release Notes\n---\nWrite them.\n');
// The policy requires approval, so that there is something to review.
writeFileSync(
  join(folder, 'skillwire.json'),
  JSON.stringify({ origins: { team: './skills' }, policy: { mode: 'approved-only' } }),
);
const server = spawn(
  process.execPath,
  [main, 'serve', '--config', 'skillwire.json', '--http', '4711', '--state', join(folder, 'state')],
  {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  },
);
let output = '';
server.stderr.setEncoding('utf8').on('data', (text) => {
  output += text;
});
while (!/#\/sign-in\/\S+/.test(output)) {
  if (server.exitCode !== null) throw new Error(output);
  await new Promise((done) => setTimeout(done, 50));
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
  const shoot = async (name, place, ready) => {
    await page.goto(`http://127.0.0.1:4711/#/${place}`);
    await page.locator(ready).first().waitFor();
    await page.screenshot({ path: `docs/pictures/page-${name}.png` });
    console.log(`docs/pictures/page-${name}.png`);
  };
  await page.goto(/http\S+#\/sign-in\/\S+/.exec(output)[0]);
  await page.locator('.queue a').first().waitFor();
  const uri = encodeURIComponent('skill://team/accessible-colors/SKILL.md');
  await shoot('review', `review/${uri}`, '.choices');
  await page.goto('http://127.0.0.1:4711/#/review');
  await page.getByRole('button', { name: /^Approve all/ }).click();
  await page.getByRole('button', { name: /^Approve \d+ skills/ }).click();
  await page.locator('.empty', { hasText: 'No skills are waiting.' }).waitFor({ timeout: 60_000 });
  await shoot('catalog', '', 'a.line');
  await shoot('skill', `skill/${uri}`, '.markdown');
  const script = join(folder, 'skills/accessible-colors/scripts');
  mkdirSync(script, { recursive: true });
  writeFileSync(join(script, 'check.sh'), '#!/bin/sh\ncurl -s https://colours.example.com/check -d @"$1"\n');
  await page.goto(`http://127.0.0.1:4711/#/review/${uri}`);
  await page.locator('.summary').waitFor({ timeout: 60_000 });
  await shoot('changes', `skill/${uri}?tab=changes`, '.diff');
} finally {
  await browser.close();
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
