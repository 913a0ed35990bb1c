/** The request of a form of the API reference, also as a command line. */

export interface FormRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function readForm(form: HTMLFormElement): FormRequest {
  const { method = 'GET', path = '/' } = form.dataset;
  const fields = [...form.querySelectorAll<Field>('[data-in]')].filter(({ value }) => value.trim() !== '');
  const given = (place: string) => fields.filter((field) => field.dataset.in === place);
  const target = given('path').reduce((text, { name, value }) => text.replace(`{${name}}`, encode(value)), path);
  // A repeatable field has one value per line.
  const query = given('query').flatMap(({ name, value }) =>
    value
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `${encode(name)}=${encode(line)}`),
  );
  const headers = Object.fromEntries(given('header').map(({ name, value }) => [name, value]));
  const accept = named(form, 'accept')?.value;
  const dryRun = (named(form, 'dry-run') as HTMLInputElement | null)?.checked === true;
  const example = (named(form, 'example') as HTMLSelectElement | null)?.selectedOptions[0];
  const body = named(form, 'body')?.value;
  return {
    method,
    // The page knows the way to the root of the API, wherever a proxy puts it.
    url: new URL(
      `${document.body.dataset.root ?? '.'}${target}${query.length === 0 ? '' : `?${query.join('&')}`}`,
      location.href,
    ),
    headers: {
      ...headers,
      ...(accept === undefined || accept === 'application/json' ? {} : { Accept: accept }),
      ...(dryRun ? { Prefer: [headers.Prefer, 'tx=rollback'].filter(Boolean).join(', ') } : {}),
      ...(example === undefined ? {} : { 'Content-Type': example.dataset.type! }),
    },
    ...(body === undefined ? {} : { body }),
  };
}

export function named(form: HTMLFormElement, name: string): Field | null {
  return form.querySelector<Field>(`[name="${name}"]:not([data-in])`);
}

export function asCommand({ method, url, headers, body }: FormRequest): string {
  const how = method === 'GET' ? [] : method === 'HEAD' ? ['--head'] : ['-X', method];
  const parts = [
    ...how,
    quoted(url.href),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
    ...(body === undefined ? [] : ['--data-binary', quoted(body)]),
  ];
  return ['curl', ...parts].join(' ');
}

/** A shell changes nothing within single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Keeps characters that are literal in a query string, for people who read URLs. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(2C|3A|24|40|2F)/g, (escaped) => decodeURIComponent(escaped));
}
