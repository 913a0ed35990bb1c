/** A client of a feed that reconnects whenever its connection ends, as a browser does. */
import { EventClient } from './event-stream.ts';

type Options = NonNullable<Parameters<typeof EventClient.open>[2]>;

export class ReconnectingClient {
  current: EventClient | undefined;
  private isClosed = false;

  constructor(
    private readonly fetch: Parameters<typeof EventClient.open>[0],
    private readonly path: string,
    private readonly keys: readonly string[],
  ) {
    void this.follow();
  }

  /** The rows of the list, in the order of their keys. */
  get rows(): readonly unknown[] {
    const rows = [...(this.current?.rows ?? [])];
    return rows.sort(([one], [other]) => Number(one.slice(1, -1)) - Number(other.slice(1, -1))).map(([, row]) => row);
  }

  close(): void {
    this.isClosed = true;
    this.current?.close();
  }

  private async follow(): Promise<void> {
    let from: EventClient | undefined;
    while (!this.isClosed) {
      const options: Options = { keys: this.keys, ...(from === undefined ? {} : { from }) };
      const client = await EventClient.open(this.fetch, this.path, options).catch(() => undefined);
      if (client?.response?.status === 200) {
        this.current = client;
        while (!client.isEnded) await Bun.sleep(20);
        from = client;
      } else await Bun.sleep(50);
    }
  }
}
