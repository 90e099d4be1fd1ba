import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from './render-markdown.ts';

const base = 'skill://team/deploy/SKILL.md';
const render = (text: string, from = base): string => renderMarkdown(text, from).trim();

describe('renderMarkdown()', () => {
  test('renders Markdown', () => {
    expect(render('# One two\n\n*a* **b** ~~c~~ `d`')).toBe(
      '<h1 id="user-content-one-two">One two</h1>\n<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>',
    );
    expect(render('|a|b|\n|-|:-:|\n|1|2|')).toMatch(
      /^<div class="table-scroll" tabindex="0"><table>[\s\S]*<th align="center">b/,
    );
    expect(render('3. x')).toContain('<ol start="3">');
  });

  test('shows raw HTML as text', () => {
    expect(render('<script>alert(1)</script>')).toBe('<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>');
    expect(render('a <img src=x onerror=y> b')).toBe('<p>a &lt;img src=x onerror=y&gt; b</p>');
  });

  test.each([
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:x',
    'ftp://x/y',
  ])('makes no link to %s', (url) => {
    expect(render(`[x](${url})`)).not.toContain('<a');
    expect(render(`[x](<${url}>)`)).not.toContain('<a');
    expect(render(`![x](${url})`)).not.toContain('<img');
  });

  test('links to other sites without a referrer or opener', () => {
    expect(render('[x](https://example.com/?a=1&b "t")')).toBe(
      '<p><a class="outside" href="https://example.com/?a=1&amp;b" rel="noopener noreferrer nofollow" target="_blank" title="t">x</a></p>',
    );
    expect(render('[x](mailto:a@example.com)')).toContain('href="mailto:a@example.com"');
  });

  test.each([
    ['docs/a.md', 'skill://team/deploy/docs/a.md', ''],
    ['./docs/../b.md#Second%20Part', 'skill://team/deploy/b.md', '?at=second-part'],
    ['../other/SKILL.md', 'skill://team/other/SKILL.md', ''],
    ['skill://x/y/SKILL.md', 'skill://x/y/SKILL.md', ''],
    ['#part', base, '?at=part'],
    ['a%20b.md', 'skill://team/deploy/a%20b.md', ''],
  ])('links %s to the view of %s', (written, uri, at) => {
    expect(render(`[x](${written})`)).toBe(`<p><a href="#/skill/${encodeURIComponent(uri)}${at}">x</a></p>`);
  });

  test.each(['../../../up.md', '//host/x', '/absolute', 'a?b', 'a\\\\b'])('does not link %s', (written) => {
    expect(render(`[x](${written})`)).toBe('<p><span class="no-link">x</span></p>');
  });

  test('shows only pictures of the skill', () => {
    expect(render('![a "plan"](plan.png)')).toBe(
      `<p><img src="api/image?uri=${encodeURIComponent('skill://team/deploy/plan.png')}" alt="a &quot;plan&quot;" loading="lazy"></p>`,
    );
    expect(render('![pixel](https://tracker.example/x.png)')).toBe(
      '<p><span class="no-image">image not loaded: pixel <code>https://tracker.example/x.png</code></span></p>',
    );
  });

  test('shows invisible characters, in text, code and titles', () => {
    expect(render('a\u202eb')).toBe('<p>a<span class="odd">U+202E</span>b</p>');
    expect(render('`a\u200bb`')).toBe('<p><code>a<span class="odd">U+200B</span>b</code></p>');
    expect(render('```\n\u{e0041}\n```')).toContain('<span class="odd">U+E0041</span>');
    expect(render('![\u202e](x.png)')).toContain('alt="U+202E"');
    expect(render('👩‍💻')).toBe('<p>👩‍💻</p>');
  });

  test('lets no info string, heading or title become an attribute', () => {
    expect(render('```js" onload="x\n1\n```')).toBe('<pre tabindex="0"><code>1\n</code></pre>');
    expect(render('```python title="x"\n1\n```')).toContain('<code class="language-python">');
    expect(render('# a" onclick="x')).toBe('<h1 id="user-content-a-onclickx">a&quot; onclick=&quot;x</h1>');
    expect(render('# Same\n\n# Same')).toContain('id="user-content-same-1"');
  });
});

describe('code and tasks', () => {
  test('are colored only with classes of the page, and invisible characters stay visible', () => {
    const html = renderMarkdown('```js\nconst a = "</script>\u202e"; // x\n```\n', base);
    expect(html).toContain('<span class="hl-keyword">const</span>');
    expect(html).toContain('&lt;/script&gt;<span class="odd">');
    expect(html).not.toMatch(/hljs|<script|\u202e/);
    expect(html.replace(/<[^>]+>/g, '').trim()).toMatch(/^const a = /);
  });

  test('keep every character of any code', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200 }),
        fc.constantFrom('js', 'bash', 'python', 'yaml', 'html', 'json'),
        (code, language) => {
          const text = code.replaceAll('`', "'");
          const plain = renderMarkdown(`~~~\n${text}\n~~~\n`, base);
          const colored = renderMarkdown(`~~~${language}\n${text}\n~~~\n`, base);
          const words = (html: string): string => html.replace(/<[^>]*>/g, '');
          expect(words(colored)).toBe(words(plain));
          expect(colored.match(/<(?!\/?(?:pre|code|span)\b)/g)).toBeNull();
        },
      ),
    );
  });

  test('an unknown language and long code are text', () => {
    expect(renderMarkdown('```nope\nconst\n```\n', base)).not.toContain('hl-');
    expect(renderMarkdown(`\`\`\`js\n${'const '.repeat(20_000)}\n\`\`\`\n`, base)).not.toContain('hl-');
  });

  test('boxes show tasks, done or not, and nothing else', () => {
    const html = renderMarkdown('- [ ] open\n- [x] <b>done</b>\n- [y] other\n\n[x] text\n', base);
    expect(html).toContain('<li class="task"><span class="box" title="to do"></span>open</li>');
    expect(html).toContain('<li class="task"><span class="box done" title="done">✓</span>&lt;b&gt;done&lt;/b&gt;</li>');
    expect(html).toContain('<li>[y] other</li>');
    expect(html).toContain('<p>[x] text</p>');
  });
});
