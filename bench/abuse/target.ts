/** The attacked service: it has the given number of products, followed by some with long texts. */
import { connect, type Socket } from 'node:net';
import { generateObjects } from '../generate.ts';
import type { Server } from '../servers.ts';

export const LONG_ROWS = 100;
const LONG_TEXT = 'a long text of many words '.repeat(40_000);
const ROWS_A_REQUEST = 10_000;

export class Target {
  private readonly sockets: Socket[] = [];
  private endsAt = 0;

  constructor(
    readonly server: Server,
    readonly products: number,
  ) {}

  /** The first product with a long text. */
  get long(): number {
    return this.products + 1;
  }

  begin(seconds: number): void {
    this.endsAt = performance.now() + seconds * 1000;
  }

  get isOver(): boolean {
    return this.remainingMs <= 0;
  }

  get remainingMs(): number {
    return this.endsAt - performance.now();
  }

  /** Sends a request and reads the response to its end. Errors are ignored. */
  async ask(path: string, init: RequestInit = {}): Promise<void> {
    try {
      const signal = init.signal ?? AbortSignal.timeout(120_000);
      const response = await fetch(`${this.server.url}${path}`, { ...init, signal });
      for await (const _ of response.body ?? []) if (this.isOver) return;
    } catch {
      await Bun.sleep(10);
    }
  }

  send(method: string, path: string, type: string, body: string, prefer = ''): Promise<void> {
    return this.ask(path, { method, body, headers: { 'content-type': type, ...(prefer === '' ? {} : { prefer }) } });
  }

  /** Repeats a request with the given concurrency until the time is up. */
  async again(atOnce: number, ask: (index: number) => Promise<unknown>): Promise<void> {
    const one = async (_: unknown, index: number) => {
      while (!this.isOver) await ask(index);
    };
    await Promise.all(Array.from({ length: atOnce }, one));
  }

  /**
   * Opens connections that send this text, then a few bytes from time to time, and never read. They stay open until the
   * time is up.
   */
  async held(count: number, beginning: string, drop = ''): Promise<void> {
    const { hostname: host, port } = new URL(this.server.url);
    for (let index = 0; index < count; index++) {
      const socket = connect({ host, port: Number(port) });
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(beginning);
      this.sockets.push(socket);
    }
    while (!this.isOver) {
      await Bun.sleep(500);
      if (drop !== '') for (const socket of this.sockets) if (socket.writable) socket.write(drop);
    }
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }
}

/** Creates products through the API, for engines whose database file cannot be generated. */
export async function fill(server: Server, count: number): Promise<void> {
  let rows: object[] = [];
  const flush = async () => {
    if (rows.length > 0) await store(server, rows);
    rows = [];
  };
  for (const row of generateObjects(count)) if (rows.push(row) === ROWS_A_REQUEST) await flush();
  await flush();
}

export async function addLongRows(server: Server, after: number): Promise<void> {
  for (let index = 1; index <= LONG_ROWS; index++) {
    await store(server, [{ id: after + index, product_name: 'Long', quantity_per_unit: LONG_TEXT }]);
  }
}

async function store(server: Server, rows: readonly object[]): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/products`, { method: 'POST', body: JSON.stringify(rows), headers });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
}
