/** Schemas in words, and as tables of their properties. */
import { nameOf, type Schema } from './document.ts';
import { type Html, html, markdown } from './html.ts';

/** The type of a value in a few words, with links to named schemas. */
export function kindOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOf({ $ref: schema.$ref });
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return joined(choices.map(kindOf), ' or ');
  if (schema.allOf !== undefined) return html`${joined(schema.allOf.map(kindOf), ' and ')}${requiredWords(schema)}`;
  if (schema.type === 'array') return html`list of ${kindOf(schema.items ?? {})}`;
  if (schema.enum !== undefined && schema.enum.length === 1) return html`<code>${String(schema.enum[0])}</code>`;
  return html`${[schema.type ?? 'anything'].flat().join(' or ')}${boundsOf(schema)}`;
}

function requiredWords({ required }: Schema): string {
  return required === undefined ? '' : ` with ${required.join(', ')}`;
}

function boundsOf({ minimum, maximum }: Schema): string {
  return `${minimum === undefined ? '' : ` from ${minimum}`}${maximum === undefined ? '' : ` to ${maximum}`}`;
}

export function schemaSection(name: string, schema: Schema): Html {
  const rows = Object.entries(schema.properties ?? {}).map(
    ([property, { description = '', ...rest }]) => html`<tr>
<th scope="row"><code>${property}</code>${schema.required?.includes(property) ? html` <b>required</b>` : ''}</th>
<td>${kindOf(rest)}</td><td>${markdown(description)}</td></tr>`,
  );
  return html`<section id="schema-${name}"><h3>${name}</h3>
${markdown(schema.description ?? '')}
${
  rows.length === 0
    ? ''
    : html`<table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">What it is</th></tr></thead>
<tbody>${rows}</tbody></table>`
}</section>`;
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => html`${index === 0 ? '' : separator}${part}`)}`;
}
