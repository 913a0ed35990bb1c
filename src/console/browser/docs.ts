/** Makes the forms of the API reference send requests. The page is readable without this script. */
import { asCommand, named, readForm } from './docs/request.ts';

/** The characters of a body that the page shows. */
const MAX_SHOWN_LENGTH = 100_000;

for (const place of document.querySelectorAll<HTMLDetailsElement>('details.try')) {
  const form = place.querySelector('form')!;
  const command = form.querySelector('.curl')!;
  const answer = form.querySelector('.answer')!;
  const update = () => {
    command.textContent = asCommand(readForm(form));
  };
  named(form, 'example')?.addEventListener('change', ({ target }) => {
    named(form, 'body')!.value = (target as HTMLSelectElement).selectedOptions[0]?.dataset.text ?? '';
  });
  form.addEventListener('input', update);
  form.addEventListener('change', update);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    answer.replaceChildren('Waiting for the response…');
    answer.replaceChildren(...(await send(form)));
  });
  place.hidden = false;
  update();
}

async function send(form: HTMLFormElement): Promise<readonly Node[]> {
  const { method, url, headers, body } = readForm(form);
  try {
    const response = await fetch(url, { method, headers, cache: 'no-store', ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    return [
      paragraph(`${response.status} ${response.statusText}`),
      group('Response headers', lines.join('\n')),
      ...(text === '' ? [] : [group('Response body', readable(response, text))]),
    ];
  } catch (error) {
    return [paragraph(`No response: ${(error as Error).message}`)];
  }
}

function readable(response: Response, text: string): string {
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
  const whole = isJson ? JSON.stringify(JSON.parse(text), null, 2) : text;
  if (whole.length <= MAX_SHOWN_LENGTH) return whole;
  return `${whole.slice(0, MAX_SHOWN_LENGTH)}\n… and ${whole.length - MAX_SHOWN_LENGTH} more characters`;
}

function paragraph(text: string): Node {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
}

/** Focusable, so that the keyboard can scroll it. */
function group(label: string, text: string): Node {
  const element = document.createElement('pre');
  element.tabIndex = 0;
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', label);
  element.textContent = text;
  return element;
}
