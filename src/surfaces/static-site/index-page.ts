/**
 * The HTML page of a static site: the published skills and how to use them. No scripts, images or requests. Text from skills is escaped and
 * isolated in direction. The page does not depend on time or machine.
 */
import { limits } from '../../limits.ts';
import { escapeHtml, foreign } from '../html-text.ts';
import type { SiteArtifact } from '../well-known-http/site-documents.ts';
import { indexPlaceV01, indexPlaceV02 } from './site-layout.ts';

export interface IndexPageOptions {
  /** The URL of the site, if known. */
  readonly baseUrl?: string;
  readonly skills: readonly SiteArtifact[];
}

const style = `:root{color-scheme:light dark}body{margin:2rem auto;padding:0 1rem;max-width:50rem;font:1rem/1.5 system-ui,sans-serif}
dt{margin-top:1rem;font-weight:600}dd{margin:0;overflow-wrap:anywhere}code{overflow-wrap:anywhere}.quiet{opacity:.7;font-size:.875rem}`;

export function indexPage({ baseUrl, skills }: IndexPageOptions): string {
  const shown = skills.slice(0, limits.page.skills);
  const more = skills.length - shown.length;
  const count = `${skills.length.toLocaleString('en')} ${skills.length === 1 ? 'skill' : 'skills'}`;
  const address = baseUrl === undefined ? 'the address of this page' : `<code>${escapeHtml(baseUrl)}</code>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>Agent Skills</title>
<style>${style}</style>
<h1>Agent Skills</h1>
<p>${count}. Give ${address} to a tool that reads skills from sites, for example
<code>skillwire list</code> or <code>skills add</code>. The index for programs is
<a href="${indexPlaceV02}">${indexPlaceV02}</a>, for older ones <a href="${indexPlaceV01}">${indexPlaceV01}</a>.</p>
<dl>
${shown.map(row).join('\n')}
</dl>
${more === 0 ? '' : `<p>${more.toLocaleString('en')} more are in the index.</p>\n`}`;
}

function row({ published: { skill, name }, digest }: SiteArtifact): string {
  const { resources, frontmatter } = skill.entry;
  const files = resources.length === 1 ? '1 file' : `${resources.length} files`;
  return `<dt>${foreign(name)}</dt><dd>${foreign(frontmatter.description)}<br><span class="quiet">${files}, <code>${digest}</code></span></dd>`;
}
