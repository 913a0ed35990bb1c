/** The section of an operation: description, parameters, body, answers, and a form that sends a request. */
import { mapInSlices, type Task } from '../../base/cooperative.ts';
import {
  type Answer,
  type Content,
  examplesOf,
  isReference,
  nameOf,
  type Operation,
  type Reference,
  type Route,
  type RouteParameter,
  textOf,
} from './document.ts';
import { tryForm } from './form.ts';
import { type Html, html, markdown } from './html.ts';
import { kindOf } from './schema.ts';

/** In steps, because a collection can have more than a thousand fields, each of which is a parameter. */
export function* operationSection(route: Route): Task<Html> {
  const { method, path, operation, parameters, body } = route;
  const { operationId, summary, description, responses } = operation;
  const table = parameters.length === 0 ? '' : yield* parameterTable(parameters);
  const form = yield* tryForm(route);
  return html`<section class="operation" id="${operationId}">
<h3><span class="method">${method}</span> <code>${path}</code></h3>
<p class="summary">${summary}</p>
${markdown(description)}
${table}
${body === undefined ? '' : html`<h4>Body</h4>${contentList(body.content)}`}
<h4>Answers</h4>
${answerTable(responses)}
${form}
</section>`;
}

function* parameterTable(parameters: readonly RouteParameter[]): Task<Html> {
  const rows = yield* mapInSlices(parameters, ({ component, parameter }) => {
    const { name, in: place, required, description } = parameter;
    const title = component === undefined ? name : html`<a href="#parameter-${component}">${name}</a>`;
    return html`<tr><th scope="row">${title}${required ? html` <b>required</b>` : ''}</th>
<td>${place}</td><td>${markdown(firstParagraph(description))}</td></tr>`;
  });
  return html`<h4>Parameters</h4>
<table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">What it does</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** A table of the successful answers, and links to the errors, which all operations share. */
function answerTable(responses: Operation['responses']): Html {
  const all = Object.entries(responses);
  const rows = all.map(([status, answer]) => {
    if (isError(status, answer)) return undefined;
    return html`<tr><th scope="row">${status}</th><td>${markdown(answer.description)}${headerList(answer)}
${answer.content === undefined ? '' : contentList(answer.content)}</td></tr>`;
  });
  const links = all
    .filter(([status, answer]) => isError(status, answer))
    .map(([status]) => html` <a href="#error-${status}">${status}</a>`);
  return html`<table><thead><tr><th scope="col">Status</th><th scope="col">Answer</th></tr></thead><tbody>${rows}</tbody></table>
<p>Errors:${links}</p>`;
}

/** Whether an answer is a shared error, or an error of HEAD, which has no body. */
function isError(status: string, answer: Answer | Reference): answer is Reference {
  return isReference(answer) || (Number(status) >= 400 && answer.content === undefined);
}

function headerList({ headers }: Answer): Html | undefined {
  if (headers === undefined) return undefined;
  const names = Object.values(headers).map(nameOf);
  return html`<p>Headers:${names.map((name) => html` <a href="#header-${name}">${name}</a>`)}</p>`;
}

/** The media types with their schemas, and the examples of the first one. */
function contentList(content: Content): Html {
  const media = Object.entries(content);
  const items = media.map(([type, { schema }]) => html`<li><code>${type}</code>: ${kindOf(schema)}</li>`);
  const examples = examplesOf(media[0]?.[1] ?? {}).map(
    ({ summary, value }) => html`<details><summary>${summary}</summary>${code(textOf(value), summary)}</details>`,
  );
  return html`<ul>${items}</ul>${examples}`;
}

/** Focusable, so that the keyboard can scroll text that is wider than the page. */
export function code(text: string, label: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}">${text}</pre>`;
}

function firstParagraph(text: string): string {
  return text.split('\n\n', 1)[0]!;
}
