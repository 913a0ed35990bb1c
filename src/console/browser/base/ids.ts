/** Random ids of requests and drafts. `crypto.randomUUID` exists only with HTTPS and on localhost. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
