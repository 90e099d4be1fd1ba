/** Requirements of the two published forms of well-known discovery on publishers and clients, in our words: v0.2.0 (W) and v0.1 (wk01). */
import type { Requirement } from './requirement.ts';

export const wellKnownV02: readonly Requirement[] = [
  { id: 'W-1', strength: 'MUST', text: 'A publisher provides /.well-known/agent-skills/index.json.' },
  { id: 'W-2', strength: 'MUST', text: 'The index has a $schema, which clients match against the URIs they know.' },
  { id: 'W-3', strength: 'SHOULD NOT', text: 'An index with an unknown $schema is not processed; a warning is given.' },
  { id: 'W-4', strength: 'SHOULD', text: 'An index without $schema is treated as v0.1.' },
  { id: 'W-5', strength: 'MUST', text: 'Clients ignore fields that they do not know.' },
  {
    id: 'W-6',
    strength: 'MUST',
    text: 'An entry has name, type, description of at most 1,024 characters, url and digest.',
  },
  { id: 'W-7', strength: 'MUST', text: 'type is skill-md or archive; clients skip entries of any other type.' },
  { id: 'W-8', strength: 'defines', text: 'url is resolved against the URL of the index (RFC 3986, 5).' },
  {
    id: 'W-9',
    strength: 'MUST',
    text: 'digest is the SHA-256 of the bytes of the artifact; clients verify it and use nothing that differs.',
  },
  { id: 'W-10', strength: 'MUST', text: 'Archives are .tar.gz or .zip; clients read both.' },
  {
    id: 'W-11',
    strength: 'SHOULD',
    text: 'Clients take the format from Content-Type, or from the URL where that says nothing.',
  },
  {
    id: 'W-12',
    strength: 'MUST',
    text: 'SKILL.md is at the root of an archive, which holds no absolute path and no "..".',
  },
  { id: 'W-13', strength: 'MUST', text: 'The digest is checked before anything is unpacked.' },
  { id: 'W-14', strength: 'MUST', text: 'Paths and links that leave the folder are refused.' },
  { id: 'W-15', strength: 'SHOULD', text: 'The size of what is unpacked is limited.' },
  { id: 'W-16', strength: 'SHOULD', text: 'A skill that is only a SKILL.md is published as skill-md.' },
  {
    id: 'W-17',
    strength: 'MUST',
    text: 'The index is application/json, SKILL.md text/markdown or text/plain, archives application/gzip or application/zip.',
  },
  { id: 'W-18', strength: 'MUST', text: 'GET and HEAD are answered; what does not exist is 404.' },
  { id: 'W-19', strength: 'SHOULD', text: 'Answers have Cache-Control, and CORS headers where browsers read them.' },
  { id: 'W-20', strength: 'MUST', text: 'Clients follow redirects and respect cache headers.' },
  { id: 'W-21', strength: 'MAY', text: 'Clients tell by the digest whether an artifact has changed.' },
  { id: 'W-22', strength: 'MUST', text: 'Only name and description are loaded into a context at discovery.' },
  {
    id: 'W-23',
    strength: 'MUST NOT',
    text: 'Scripts of a skill are not executed by default.',
    advice: 'nothing here executes a file of a skill; running it is the act of a host and its user',
  },
  {
    id: 'W-24',
    strength: 'SHOULD',
    text: 'Only origins that are allowed are read; others need the approval of the user.',
  },
];

export const wellKnownV01: readonly Requirement[] = [
  {
    id: 'wk01:index',
    strength: 'MUST',
    text: 'A publisher provides /.well-known/skills/index.json with a list of skills.',
  },
  { id: 'wk01:name', strength: 'MUST', text: 'name follows the naming rules and is the folder of the files.' },
  { id: 'wk01:description', strength: 'MUST', text: 'description has at most 1,024 characters.' },
  { id: 'wk01:files', strength: 'MUST', text: 'files lists every file of the skill.' },
  { id: 'wk01:files-not-empty', strength: 'MUST', text: 'files is not empty.' },
  { id: 'wk01:files-skill-md', strength: 'MUST', text: 'files lists SKILL.md.' },
  { id: 'wk01:files-first', strength: 'SHOULD', text: 'SKILL.md is the first of the files.' },
  {
    id: 'wk01:files-paths',
    strength: 'MUST',
    text: 'Paths are relative, with slashes, without "..", printable ASCII without \\ ? # [ ].',
  },
  { id: 'wk01:files-served', strength: 'MUST', text: 'Every listed path is served below the folder of the skill.' },
  { id: 'wk01:index-type', strength: 'MUST', text: 'The index is application/json.' },
  { id: 'wk01:skill-md-type', strength: 'MUST', text: 'SKILL.md is text/markdown or text/plain.' },
  { id: 'wk01:methods', strength: 'MUST', text: 'GET and HEAD are answered.' },
  { id: 'wk01:not-found', strength: 'MUST', text: 'Skills and files that do not exist are 404.' },
  { id: 'wk01:cache-control', strength: 'SHOULD', text: 'Answers have Cache-Control.' },
  { id: 'wk01:client-index', strength: 'MUST', text: 'Clients fetch the index to know the skills and their files.' },
  { id: 'wk01:client-redirects', strength: 'MUST', text: 'Clients follow redirects.' },
  { id: 'wk01:client-cache', strength: 'MUST', text: 'Clients respect cache headers.' },
  {
    id: 'wk01:client-prefetch',
    strength: 'MUST',
    text: 'Clients fetch all listed files of discovered skills ahead of need.',
  },
  { id: 'wk01:client-disclosure', strength: 'MUST NOT', text: 'Clients do not load all files into a context at once.' },
  {
    id: 'wk01:client-relative',
    strength: 'MUST',
    text: 'Clients resolve listed paths against the folder of the skill.',
  },
  {
    id: 'wk01:client-scripts',
    strength: 'SHOULD',
    text: 'Clients ask before they run code of a skill.',
    advice: 'nothing here executes a file of a skill; running it is the act of a host and its user',
  },
];
