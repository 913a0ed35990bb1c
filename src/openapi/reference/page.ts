/**
 * A page of the API reference, generated from an OpenAPI document and readable without a script. A script adds forms
 * that send requests. All links are relative, so that the page works behind any prefix.
 */
import type { Task } from '../../base/cooperative.ts';
import { componentName } from '../component.ts';
import { examplesOf, type OpenApi, type Parameter, type Route, routesOf, textOf } from './document.ts';
import { type Html, html, markdown } from './html.ts';
import { operationSection } from './operation.ts';
import { kindOf, schemaSection } from './schema.ts';

export interface Links {
  /** The way from the page to the root of the service. */
  readonly root: string;
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  readonly icon: string;
  readonly document: string;
  readonly console: string;
  /** The index of all collections, if this page is not the index. */
  readonly index?: string;
}

/** A page that an index leads to. */
interface Listed {
  readonly name: string;
  readonly title?: string | undefined;
  readonly href: string;
}

/** Builds the page of a document, one operation or component per step. `listed` are the pages of the collections. */
export function* referencePage(document: OpenApi, links: Links, listed: readonly Listed[] = []): Task<string> {
  const { title, version, description } = document.info;
  const routes = routesOf(document);
  const sections: Html[] = [];
  for (const tag of document.tags) sections.push(yield* tagSection(tag, routes));
  const shared = yield* components(document);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API</title>
<link rel="icon" href="${links.icon}">
${links.styles.map((href) => html`<link rel="stylesheet" href="${href}">`)}
${links.scripts.map((src) => html`<script type="module" src="${src}"></script>`)}
</head>
<body data-root="${links.root}">
<a class="skip" href="#content">Skip to the content</a>
<header><h1>${title} API <small>${version}</small></h1>
<p>${links.index === undefined ? '' : html`<a href="${links.index}">All collections</a> `}<a href="${links.document}">OpenAPI document</a> <a href="${links.root}/docs/guide">Guide</a> <a href="${links.console}">Console</a></p></header>
<div class="columns">
${contents(document, routes, listed)}
<main id="content">
${markdown(description)}
${listed.length === 0 ? '' : html`<section id="Collections"><h2>Collections</h2><ul>${listed.map(listItem)}</ul></section>`}
${sections}
${shared}
</main>
</div>
</body>
</html>
`.text;
}

function listItem({ name, title, href }: Listed): Html {
  return html`<li><a href="${href}">${name}</a>${title === undefined ? '' : `: ${title}`}</li>`;
}

const isTagged = (name: string) => (route: Route) => route.operation.tags.includes(name);

function contents({ tags }: OpenApi, routes: readonly Route[], listed: readonly Listed[]): Html {
  const groups = tags.map(({ name }) => {
    const links = routes
      .filter(isTagged(name))
      .map(
        ({ method, path, operation }) =>
          html`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${path}</a></li>`,
      );
    return html`<li><a href="#tag-${componentName(name)}">${name}</a><ul>${links}</ul></li>`;
  });
  const pages = listed.length === 0 ? '' : html`<li><a href="#Collections">Collections</a></li>`;
  const rest = SECTIONS.map((name) => html`<li><a href="#${name}">${name}</a></li>`);
  return html`<nav aria-label="Contents"><ul>${pages}${groups}${rest}</ul></nav>`;
}

function* tagSection({ name, description }: OpenApi['tags'][number], routes: readonly Route[]): Task<Html> {
  const sections: Html[] = [];
  for (const route of routes.filter(isTagged(name))) {
    sections.push(yield* operationSection(route));
    yield;
  }
  return html`<section id="tag-${componentName(name)}"><h2>${name}</h2>${markdown(description)}${sections}</section>`;
}

const SECTIONS = ['Parameters', 'Schemas', 'Headers', 'Errors'] as const;

/** The components that operations share, each described once. */
function* components({ components: { parameters, schemas, headers, responses } }: OpenApi): Task<Html> {
  const sections: Readonly<Record<(typeof SECTIONS)[number], Iterable<Html>>> = {
    Parameters: mapEntries(parameters, parameterSection),
    Schemas: mapEntries(schemas, schemaSection),
    Headers: mapEntries(
      headers,
      (name, { description }) => html`<section id="header-${name}"><h3>${name}</h3>${markdown(description)}</section>`,
    ),
    Errors: mapEntries(responses, (name, { description }) => {
      const status = name.replace(/^Error/, '');
      return html`<section id="error-${status}"><h3>${status}</h3>${markdown(description)}</section>`;
    }),
  };
  const built: Html[] = [];
  for (const name of SECTIONS) {
    const parts: Html[] = [];
    for (const part of sections[name]) {
      parts.push(part);
      yield;
    }
    built.push(html`<section id="${name}"><h2>${name}</h2>${parts}</section>`);
  }
  return html`${built}`;
}

/** Lazily, so that each step of the page builds one section. */
function* mapEntries<T>(entries: Readonly<Record<string, T>>, make: (name: string, value: T) => Html): Generator<Html> {
  for (const [name, value] of Object.entries(entries)) yield make(name, value);
}

function parameterSection(component: string, parameter: Parameter): Html {
  const { name, in: place, required, explode, description, schema } = parameter;
  const examples = examplesOf(parameter).map(
    ({ value }) => html` <code>${[value].flat().map(textOf).join(' ')}</code>`,
  );
  return html`<section id="parameter-${component}"><h3>${name} <small>${place}</small></h3>
${markdown(description)}
<p>${required ? 'Required. ' : ''}${explode ? 'May be repeated. ' : ''}Type: ${kindOf(schema)}.${examples.length === 0 ? '' : html` For example:${examples}`}</p></section>`;
}
