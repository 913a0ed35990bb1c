/** The form that sends a request. It is hidden until the page's script has run. */
import { mapInSlices, type Task } from '../../base/cooperative.ts';
import { examplesOf, isReference, type Route, type RouteParameter, textOf } from './document.ts';
import { type Html, html } from './html.ts';

const READS = ['GET', 'HEAD', 'OPTIONS'];

export function* tryForm(route: Route): Task<Html> {
  const { method, path, operation, parameters, body } = route;
  if (body !== undefined && examplesIn(body).length === 0) return html``;
  const fields = yield* mapInSlices(parameters, (each) => parameterField(operation.operationId, each, method));
  return html`<details class="try" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}" autocomplete="off">
${fields.length === 0 ? '' : html`<div class="fields">${fields}</div>`}
${bodyFields(route)}
${acceptField(route)}
${
  READS.includes(method)
    ? ''
    : html`<p><label class="choice"><input type="checkbox" name="dry-run" checked> Dry run: store nothing (<code>Prefer: tx=rollback</code>)</label></p>`
}
<pre class="curl" tabindex="0" role="group" aria-label="As a command"></pre>
<p><button type="submit">Send</button></p>
<div class="answer" role="status"></div>
</form></details>`;
}

function parameterField(operation: string, { parameter, component }: RouteParameter, method: string): Html {
  const { name, in: place, required = false, explode = false } = parameter;
  const example = examplesOf(parameter)[0]?.value;
  const text = example === undefined ? '' : String(example);
  // The first request should not load a million rows.
  const isGiven = required || (name === 'limit' && method === 'GET');
  const id = `${operation}-${component ?? name}`;
  const common = html`id="${id}" name="${name}" data-in="${place}" placeholder="${text}" spellcheck="false"${required ? html` required` : ''}`;
  return html`<div><label for="${id}">${name} <small>${place}${explode ? ', one per line' : ''}</small></label>
${
  explode
    ? html`<textarea rows="1" ${common}></textarea>`
    : html`<input type="text" ${common} value="${isGiven ? text : ''}">`
}</div>`;
}

function bodyFields({ operation: { operationId }, body }: Route): Html | undefined {
  if (body === undefined) return undefined;
  const examples = examplesIn(body);
  const options = examples.map(
    ({ type, summary, text }) => html`<option data-type="${type}" data-text="${text}">${type}: ${summary}</option>`,
  );
  return html`<p><label for="${operationId}-example">Example</label>
<select id="${operationId}-example" name="example">${options}</select></p>
<p><label for="${operationId}-body">Body</label>
<textarea id="${operationId}-body" name="body" rows="6" spellcheck="false">${examples[0]?.text}</textarea></p>`;
}

/** Empty if no text can be the body, as of an upload. */
function examplesIn({ content }: NonNullable<Route['body']>) {
  return Object.entries(content).flatMap(([type, media]) =>
    examplesOf(media).map(({ summary, value }) => ({ type, summary, text: textOf(value) })),
  );
}

/** The media types of the answer. */
function acceptField({ method, operation }: Route): Html | undefined {
  const contents = Object.values(operation.responses).map((answer) =>
    isReference(answer) ? undefined : answer.content,
  );
  const types = Object.keys(contents.find((content) => content !== undefined) ?? {});
  if (types.length < 2 || method === 'HEAD') return undefined;
  return html`<div class="fields"><div><label for="${operation.operationId}-accept">Accept</label>
<select id="${operation.operationId}-accept" name="accept">${types.map((type) => html`<option>${type}</option>`)}</select></div></div>`;
}
