/**
 * The upper limit of a Bun server: it sends the same bytes and headers for every request, copied once from the service.
 */
export {};

const [port = '0', source = ''] = process.argv.slice(2);
// Requests no compression, as wrk does.
const original = await fetch(source, { headers: { 'accept-encoding': 'identity' } });
const body = new Uint8Array(await original.arrayBuffer());
const headers = Object.fromEntries(original.headers);
delete headers['content-length'];
delete headers.date;
Bun.serve({ port: Number(port), hostname: '127.0.0.1', fetch: () => new Response(body, { headers }) });
