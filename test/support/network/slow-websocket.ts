/** A websocket client that can stop reading, which `WebSocket` cannot. */
import { connect, type Socket } from 'node:net';
import { until } from '../processes/process.ts';

export class SlowWebSocket {
  readonly messages: string[] = [];
  isClosed = false;
  private received = Buffer.alloc(0);
  private isOpen = false;

  private constructor(private readonly socket: Socket) {
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
    });
    socket.on('data', (bytes) => {
      this.received = Buffer.concat([this.received, bytes as Buffer]);
      this.parse();
    });
  }

  static async open(url: string): Promise<SlowWebSocket> {
    const { hostname, port, host, pathname, search } = new URL(url);
    const socket = connect(Number(port), hostname);
    const client = new SlowWebSocket(socket);
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
    const key = Buffer.alloc(16, 1).toString('base64');
    socket.write(
      `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${upgrade}\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    await until('the websocket', () => client.isOpen);
    return client;
  }

  /** Sends a text of less than 64 KiB, masked with zeros. */
  send(text: string): void {
    const bytes = Buffer.from(text);
    const header = Buffer.from([0x81, 0x80 | 126, bytes.length >> 8, bytes.length & 255, 0, 0, 0, 0]);
    this.socket.write(Buffer.concat([header, bytes]));
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  close(): void {
    this.socket.destroy();
  }

  private parse(): void {
    if (!this.isOpen) {
      const end = this.received.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.isOpen = true;
      this.received = this.received.subarray(end + 4);
    }
    for (;;) {
      const { received } = this;
      if (received.length < 10) return;
      const short = received[1]! & 127;
      const start = short === 127 ? 10 : short === 126 ? 4 : 2;
      const length =
        short === 127 ? Number(received.readBigUInt64BE(2)) : short === 126 ? received.readUInt16BE(2) : short;
      if (received.length < start + length) return;
      this.messages.push(received.toString('utf8', start, start + length));
      this.received = received.subarray(start + length);
    }
  }
}
