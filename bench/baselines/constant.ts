/** The most a Bun server can do: the same bytes and headers for every request, taken once from the service itself. */
export {};

const [port = '0', source = ''] = process.argv.slice(2);
// As wrk asks: without compression.
const original = await fetch(source, { headers: { 'accept-encoding': 'identity' } });
const body = new Uint8Array(await original.arrayBuffer());
const headers = Object.fromEntries(original.headers);
delete headers['content-length'];
delete headers.date;
Bun.serve({ port: Number(port), hostname: '127.0.0.1', fetch: () => new Response(body, { headers }) });
