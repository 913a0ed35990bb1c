/**
 * The API reference: one page made from the OpenAPI document, readable without a script. The script of the page adds
 * forms that try the operations. Its links are relative, so that it works behind any prefix.
 */
import { examplesOf, type OpenApi, type Parameter, type Route, routesOf, textOf } from './document.ts';
import { type Html, html, markdown } from './html.ts';
import { operationSection } from './operation.ts';
import { kindOf, schemaSection } from './schema.ts';

export interface Links {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  readonly icon: string;
  readonly document: string;
  readonly console: string;
}

export function referencePage(document: OpenApi, links: Links): string {
  const { title, version, description } = document.info;
  const routes = routesOf(document);
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
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><h1>${title} API <small>${version}</small></h1>
<p><a href="${links.document}">OpenAPI document</a> <a href="${links.console}">Console</a></p></header>
<div class="columns">
${contents(document, routes)}
<main id="content">
${markdown(description)}
${document.tags.map((tag) => tagSection(document, tag, routes))}
${components(document)}
</main>
</div>
</body>
</html>
`.text;
}

const isTagged = (name: string) => (route: Route) => route.operation.tags.includes(name);

function contents({ tags }: OpenApi, routes: readonly Route[]): Html {
  const groups = tags.map(({ name }) => {
    const links = routes
      .filter(isTagged(name))
      .map(
        ({ method, path, operation }) =>
          html`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${path}</a></li>`,
      );
    return html`<li><a href="#tag-${name}">${name}</a><ul>${links}</ul></li>`;
  });
  const rest = SECTIONS.map((name) => html`<li><a href="#${name}">${name}</a></li>`);
  return html`<nav aria-label="Contents"><ul>${groups}${rest}</ul></nav>`;
}

function tagSection(document: OpenApi, { name, description }: OpenApi['tags'][number], routes: readonly Route[]): Html {
  const sections = routes.filter(isTagged(name)).map((route) => operationSection(document, route));
  return html`<section id="tag-${name}"><h2>${name}</h2>${markdown(description)}${sections}</section>`;
}

const SECTIONS = ['Parameters', 'Schemas', 'Headers', 'Errors'] as const;

/** What operations share, each described once. */
function components({ components: { parameters, schemas, headers, responses } }: OpenApi): Html {
  const sections: Readonly<Record<(typeof SECTIONS)[number], readonly Html[]>> = {
    Parameters: Object.entries(parameters).map(([name, parameter]) => parameterSection(name, parameter)),
    Schemas: Object.entries(schemas).map(([name, schema]) => schemaSection(name, schema)),
    Headers: Object.entries(headers).map(
      ([name, { description }]) =>
        html`<section id="header-${name}"><h3>${name}</h3>${markdown(description)}</section>`,
    ),
    Errors: Object.entries(responses).map(([name, { description }]) => {
      const status = name.replace(/^Error/, '');
      return html`<section id="error-${status}"><h3>${status}</h3>${markdown(description)}</section>`;
    }),
  };
  return html`${SECTIONS.map((name) => html`<section id="${name}"><h2>${name}</h2>${sections[name]}</section>`)}`;
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
