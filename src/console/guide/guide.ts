/**
 * The documentation of the running version as pages below `/docs/guide/`. A page has the path of its file, so that
 * relative links between files work between pages.
 */
import { posix } from 'node:path';
import { ApiError } from '../../base/errors.ts';
import { type Content, Html, html } from '../../base/html.ts';
import { MAX_GUIDE_SEARCH_LENGTH } from '../../base/limits/http.ts';
import { documentHtml } from '../html.ts';
import { type GuideTexts, INDEX, pageName } from './texts.ts';

const MAX_RESULTS = 50;
/** Characters of a search result before and after the first word. */
const SNIPPET_CHARS = 120;

interface Section {
  /** The anchor of its heading. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

/** A heading of the index, and the pages that it links to. */
interface Group {
  readonly heading: string;
  readonly names: readonly string[];
}

interface Page {
  readonly title: string;
  readonly body: Html;
  readonly sections: readonly Section[];
}

export interface Shell {
  /** The way from the page to the root of the service. */
  readonly root: string;
  readonly styles: readonly string[];
}

/** Reads one page per turn of the event loop: all of them take 0.2 s, and other requests would wait. */
export async function readGuide(texts: GuideTexts): Promise<Guide> {
  const names = new Set(Object.keys(texts));
  const pages = new Map<string, Page>();
  for (const [name, text] of Object.entries(texts)) {
    pages.set(name, readPage(name, text, names));
    await new Promise(setImmediate);
  }
  return new Guide(pages, groupsIn(pages.get(INDEX)?.body.text ?? '', names));
}

class Guide {
  constructor(
    private readonly pages: ReadonlyMap<string, Page>,
    private readonly groups: readonly Group[],
  ) {}

  /** Returns a page as HTML, or the results of a search; undefined if no page has the name. */
  render(name: string, search: string, shell: Shell): string | undefined {
    if (search.length > MAX_GUIDE_SEARCH_LENGTH) {
      throw new ApiError('54000', `a search of the guide may have ${MAX_GUIDE_SEARCH_LENGTH} characters`);
    }
    const words = [...new Set(search.toLowerCase().split(/\s+/).filter(Boolean))];
    if (name === INDEX && words.length > 0)
      return this.wrap(name, 'Search', this.results(search, words), shell, search);
    const page = this.pages.get(name);
    return page && this.wrap(name, page.title, page.body, shell);
  }

  /** The groups of the index, each with the titles of its pages. */
  private list(from: string): Html {
    const link = (name: string) => {
      const current = name === from ? new Html(' aria-current="page"') : '';
      return html`<a href="${way(from, name)}"${current}>${this.pages.get(name)!.title}</a>`;
    };
    const groups = this.groups.map(
      ({ heading, names }) =>
        html`<p><strong>${heading}</strong></p><ul aria-label="${heading}">${names.map((name) => html`<li>${link(name)}</li>`)}</ul>`,
    );
    return html`<p>${link(INDEX)}</p>${groups}`;
  }

  private results(search: string, words: readonly string[]): Html {
    const found: { readonly item: Html; readonly inHeading: number }[] = [];
    for (const [name, { title, sections }] of this.pages) {
      for (const { id, heading, text } of sections) {
        const lower = `${heading} ${text}`.toLowerCase();
        if (!words.every((word) => lower.includes(word))) continue;
        const label = heading === title ? title : `${title}: ${heading}`;
        const inHeading = words.filter((word) => label.toLowerCase().includes(word)).length;
        const item = html`<li><a href="${name}#${id}">${label}</a><p>${snippet(text, words[0]!)}</p></li>`;
        found.push({ item, inHeading });
      }
    }
    const items = found.sort((a, b) => b.inHeading - a.inHeading).slice(0, MAX_RESULTS);
    const count = found.length === 0 ? 'Nothing contains' : `${found.length} sections contain`;
    return html`<h1>Search</h1><p role="status">${count} “${search}”.</p><ul>${items.map(({ item }) => item)}</ul>`;
  }

  private wrap(name: string, title: string, body: Content, { root, styles }: Shell, search = ''): string {
    const links = styles.map((href) => html`<link rel="stylesheet" href="${root}${href}">`);
    const page = html`<a class="skip" href="#content">Skip to the content</a>
<header><p><strong>Product Catalogue guide</strong></p>
<p><a href="${root}/docs">API reference</a> <a href="${root}/console">Console</a></p></header>
<div class="columns">
<nav aria-label="Contents">
<form action="${way(name, INDEX)}" role="search"><label>Search <input type="search" name="q" value="${search}"></label></form>
${this.list(name)}
</nav>
<main id="content">
${body}
</main>
</div>`;
    return documentHtml(`${title} · Product Catalogue`, html`${links}`.text, page.text);
  }
}

function readPage(name: string, text: string, names: ReadonlySet<string>): Page {
  const body = withPageLinks(name, Bun.markdown.html(text, { headings: { ids: true } }), names);
  const sections = body.split(/(?=<h[1-6] id=")/).flatMap((part) => {
    const [, id, heading, rest] = /^<h[1-6] id="([^"]*)">(.*?)<\/h[1-6]>([\s\S]*)$/.exec(part) ?? [];
    return id === undefined ? [] : [{ id, heading: plainText(heading!), text: plainText(rest!) }];
  });
  return { title: sections[0]?.heading ?? name, body: new Html(body), sections };
}

function groupsIn(index: string, names: ReadonlySet<string>): readonly Group[] {
  const parts = index.split(/(?=<h2 id=")/).slice(1);
  return parts.map((part) => ({
    heading: plainText(part.slice(0, part.indexOf('</h2>'))),
    names: [...new Set(part.matchAll(/<a href="([^"#]+)/g).map(([, name]) => name!))].filter((name) => names.has(name)),
  }));
}

/** Makes links to files links to pages. The guide has no pictures and no files besides its pages. */
function withPageLinks(name: string, body: string, names: ReadonlySet<string>): string {
  return body
    .replace(/<a href="([^":#]+)(#[^"]*)?">([\s\S]*?)<\/a>/g, (_, path: string, anchor = '', label: string) => {
      const target = pageName(posix.join(posix.dirname(name), path));
      return names.has(target) ? `<a href="${way(name, target)}${anchor}">${label}</a>` : label;
    })
    .replace(/<p><img[^>]*><\/p>|<img[^>]*>/g, '');
}

/** The relative link from one page to another. */
function way(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

function plainText(body: string): string {
  return body
    .replace(/<[^>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
}

function snippet(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  const [begin, end] = [Math.max(0, at - SNIPPET_CHARS), at + SNIPPET_CHARS];
  return `${begin > 0 ? '…' : ''}${text.slice(begin, end)}${end < text.length ? '…' : ''}`;
}
