/** A bare Bun file server: it sends one file for every request. */
export {};

const [port = '0', file = ''] = process.argv.slice(2);
Bun.serve({ port: Number(port), hostname: '127.0.0.1', fetch: () => new Response(Bun.file(file)) });
