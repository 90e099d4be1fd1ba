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
license: MIT
metadata:
  repository: https://github.com/acme/deploy/tree/main
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

/** No other server was contacted, and nothing failed. */
function expectQuiet(url = served.url): void {
  expect(seen.requests.filter((request) => !request.startsWith(`${new URL(url).origin}/`))).toEqual([]);
  // The browser itself reports a picture that failed to load.
  expect(seen.faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
}

describe('the catalog', () => {
  test('explains to a newcomer what this is, what is served, and what is not and why', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/`);
    await page.locator('a.line').first().waitFor();
    expect(await page.locator('h1').textContent()).toBe('3 skills for your agents');
    expect(await page.locator('.hero .address code').textContent()).toBe(served.mcp);
    expect(await page.locator('.levels').innerText()).toMatch(/2 problems[\s\S]*1 skill not served/);
    const broken = page.locator('.finding', { hasText: 'broken' });
    expect(await broken.allTextContents()).toContainEqual(expect.stringMatching(/no description.*To do: add a line/));
    expect(await page.locator('a.line', { hasText: 'same name' }).count()).toBe(2);
    await seen.picture('catalog');
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
      await page.getByRole('searchbox').fill('changelog commits tags');
      const similar = page.getByRole('button', { name: 'and 2 similar' });
      await similar.waitFor();
      expect(await page.locator('a.line').count()).toBe(1);
      expect(await page.locator('#found').textContent()).toContain('3 skills');
      await expectAccessible(page);
      await similar.click();
      await page.getByRole('button', { name: 'Hide 2 similar' }).waitFor();
      await eventually(async () => expect(await page.locator('a.line').count()).toBe(3));
      await page.getByRole('searchbox').fill('');
      await page.locator('a.line', { hasText: 'deploy' }).waitFor();
      expect(await page.locator('.similar').count()).toBe(0);
      expectQuiet(own.url);
    } finally {
      await own.stop();
    }
  });

  test('is searched by keyboard alone', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/`);
    await page.locator('a.line').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('notes team');
    // The search of agents, which tolerates typing errors and ranks; the best match comes first.
    await page.locator('a.line').first().locator('.where', { hasText: 'team/notes' }).waitFor();
    await seen.picture('search');
    expect(page.url()).toContain('q=notes+team');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'notes' }).waitFor();
    expect(page.url()).toContain(encodeURIComponent('skill://team/notes/SKILL.md'));
  });

  test('is filtered by facets, also to skills that are not served', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/`);
    await page.getByRole('button', { name: 'Has scripts' }).click();
    await page.locator('#found', { hasText: '1 skill of' }).waitFor();
    expect(await page.locator('a.line strong').allTextContents()).toEqual(['deploy']);
    await page.getByRole('button', { name: 'Has scripts' }).click();
    await page.getByRole('button', { name: 'Same name' }).click();
    await eventually(async () => expect(await page.locator('a.line').count()).toBe(2));
  });
});

describe('a skill', () => {
  const open = async (uri = 'skill://deploy/SKILL.md'): Promise<void> => {
    await seen.page.goto(`${served.url}/#/skill/${encodeURIComponent(uri)}`);
    await seen.page.locator('.markdown').waitFor();
  };

  test('is shown with its frontmatter, its files and its requests', async () => {
    const { page } = seen;
    await open();
    expect(await page.locator('.frontmatter tr').count()).toBe(5);
    expect(await page.locator('.tree a').allTextContents()).toEqual(['SKILL.md', 'plan.png', 'steps.md', 'run.sh']);
    expect(await page.locator('aside').textContent()).toMatch(/Asks for tools.*Bash\(git:\*\).*Scripts.*run\.sh/);
    expect(await page.locator('.no-image').textContent()).toContain('https://tracker.example/x.png');
    await page.getByRole('button', { name: 'Raw' }).click();
    expect(await page.locator('pre.source').textContent()).toBe(deploy);
    await seen.picture('skill');
    await expectAccessible(seen.page);
    expectQuiet();
  });

  test('can be installed from the first screen, with links for clients that have them', async () => {
    const { page } = seen;
    await open();
    const box = page.getByRole('region', { name: 'Install' });
    expect(await box.locator('pre').textContent()).toBe(`npx skillwire add mcp:${served.mcp} skill://deploy/SKILL.md`);
    const ways = await box.locator('.ways a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(ways).toEqual([
      expect.stringMatching(/^cursor:\/\//),
      expect.stringMatching(/^vscode:/),
      expect.stringMatching(/tab=connect$/),
    ]);
    const facts = await box.locator('dl').innerText();
    expect(facts).toMatch(
      /Updated[\s\S]*License\s+MIT[\s\S]*Source\s+github\.com\/acme\/deploy[\s\S]*Size\s+\d+ tokens/,
    );
    expect(await box.locator('a.outside').getAttribute('href')).toBe('https://github.com/acme/deploy/tree/main');
    await box.getByRole('link', { name: 'Other agents' }).click();
    await page.locator('.paste pre').first().waitFor();
    await expectAccessible(page);
  });

  test('has relative links to its files, to headings in them, and back', async () => {
    const { page } = seen;
    await open();
    await page.getByRole('link', { name: 'the steps' }).click();
    await page.locator('.file-bar strong', { hasText: 'steps.md' }).waitFor();
    await page.locator('#user-content-second').waitFor();
    await seen.picture('relative-link');
    await page.getByRole('link', { name: 'the skill', exact: true }).click();
    await page.locator('.file-bar strong', { hasText: 'SKILL.md' }).waitFor();
  });

  test("is verified in the browser, with and without the browser's own hash", async () => {
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

  test('fails verification if a byte changes on the way', async () => {
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

  test('shows a working configuration for each client', async () => {
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
  test('need the one-time link; approval is not mentioned if no policy requires it', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/#/skill/${encodeURIComponent('skill://deploy/SKILL.md')}?tab=changes`);
    await page.locator('.notice', { hasText: 'open the sign-in link' }).waitFor();
    const link = served.link();
    await page.goto(link);
    await page.locator('footer', { hasText: 'this browser may deny' }).waitFor();
    await page.reload();
    await page.locator('footer', { hasText: 'this browser may deny' }).waitFor();
    expect(page.url()).not.toContain('sign-in');
    await page.locator('a.line').first().waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(/approv/i);
    expect(await page.getByRole('navigation', { name: 'Views' }).innerText()).not.toContain('Review');
    await page.goto(`${served.url}/#/skill/${encodeURIComponent('skill://deploy/SKILL.md')}?tab=changes`);
    await page.locator('.choices').waitFor();
    expect(await page.locator('.choices button').allTextContents()).toEqual(['Deny this version', 'Disable']);
    expect(await page.locator('main').innerText()).not.toMatch(/approv/i);
    await seen.picture('decide-without-policy');
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

  test('hide a skill from agents and return it, are in the log, and explain their effect', async () => {
    const { page } = seen;
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(served.mcp)));
    const uri = 'skill://other/notes/SKILL.md';
    const choices = () => page.locator('.choices button').allTextContents();
    try {
      await expect(client.readResource({ uri })).resolves.toBeDefined();
      await page.goto(served.link());
      await page.locator('footer', { hasText: 'this browser may' }).waitFor();
      await page.goto(`${served.url}/#/skill/${encodeURIComponent(uri)}?tab=changes`);
      await page.getByLabel('Comment').fill('not now');
      await page.getByRole('button', { name: 'Deny this version' }).click();
      await page.locator('header .badge', { hasText: 'denied' }).waitFor();
      expect(await choices()).toEqual(['Withdraw denial', 'Disable']);
      await eventually(() => expect(client.readResource({ uri })).rejects.toThrow());
      await page.getByRole('button', { name: 'Withdraw denial' }).click();
      await eventually(async () => expect(await choices()).toEqual(['Deny this version', 'Disable']));
      await eventually(() => expect(client.readResource({ uri })).resolves.toBeDefined());
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.locator('header .badge', { hasText: 'disabled' }).waitFor();
      await seen.picture('switched-off');
      await eventually(() => expect(client.readResource({ uri })).rejects.toThrow());
      await page.getByRole('button', { name: 'Enable' }).click();
      await eventually(() => expect(client.readResource({ uri })).resolves.toBeDefined());
      await page.goto(`${served.url}/#/log`);
      await page.locator('tr', { hasText: 'not now' }).first().waitFor();
      await page.getByText('Every server of this user shares the log').waitFor();
      await seen.picture('log');
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

  test('the texts for a model are shown within a budget', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/#/try`);
    await page.locator('pre.source', { hasText: '<available_skills>' }).waitFor();
    await page.getByLabel('Skill', { exact: true }).fill('skill://deploy/SKILL.md');
    await page.locator('pre.source', { hasText: '# Deploy' }).waitFor();
    await page.getByLabel('Search query').fill('release');
    await page.locator('ol a', { hasText: 'deploy' }).waitFor();
    await seen.picture('try-it');
    await expectAccessible(seen.page);
    expectQuiet();
  });
});

describe('everywhere', () => {
  test('the page works below a prefix, with all its resources', async () => {
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
      ['origins', '.origin'],
      ['try', '.source'],
      ['log', 'h1'],
    ] as const) {
      await page.goto(`${served.url}/#/${view}`);
      await page.locator(ready).first().waitFor();
      await seen.picture(`${colorScheme}-${width}-${view.split('/')[0]}${view.includes('tab') ? '-changes' : ''}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      // No view of the page is hidden beyond the edge.
      for (const link of await page.locator('.top nav a').all()) {
        const box = await link.boundingBox();
        expect((box?.x ?? 0) + (box?.width ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(width);
      }
      await expectAccessible(seen.page);
    }
  });

  test('the heading has the focus after navigation; an unknown address is reported; ? shows the keys', async () => {
    const { page } = seen;
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await page.goto(`${served.url}/`);
    await page.locator('a.line', { hasText: 'deploy' }).first().click();
    await page.locator('h1[tabindex]', { hasText: 'deploy' }).waitFor();
    await eventually(async () => expect(await focused()).toBe('deploy'));
    await page.goto(`${served.url}/#/nowhere`);
    await page.locator('h1', { hasText: 'Unknown address' }).waitFor();
    await eventually(async () => expect(await focused()).toBe('Unknown address'));
    await expectAccessible(page);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await seen.picture('keys');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
    expectQuiet();
  });

  test('a server that is gone is one sentence with Retry, and the page recovers', async () => {
    const { page } = seen;
    await page.goto(`${served.url}/`);
    await page.locator('a.line').first().waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await page.goto(`${served.url}/#/origins`);
    const gone = page.getByRole('alert').filter({ hasText: 'The server does not answer.' });
    await gone.first().waitFor();
    await seen.picture('server-gone');
    await page.unroute('**/api/**');
    await gone.first().getByRole('button', { name: 'Retry' }).click();
    await page.locator('.origin').first().waitFor();
    expect(await gone.count()).toBe(0);
  });
});
