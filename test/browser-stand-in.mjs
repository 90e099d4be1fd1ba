#!/usr/bin/env node
// The browser of the tests: follows redirects with cookies, as a person who has nothing to type. It ends at an answer without a redirect.
const cookies = new Map();
let url = new URL(process.argv[2]);
for (let hops = 0; hops < 30; hops++) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
  for (const line of answer.headers.getSetCookie()) {
    const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=', 2);
    cookies.set(name, value);
  }
  await answer.body?.cancel();
  const location = answer.headers.get('location');
  if (location === null) break;
  url = new URL(location, url);
}
