/**
 * A port that the old and the new service share during a handover (SO_REUSEPORT). Linux distributes new connections
 * over all sockets, and resets the waiting ones when a socket closes. So the old service first steers new connections
 * to the others, with a filter on the port (SO_ATTACH_REUSEPORT_CBPF, socket(7)), and closes when its own are answered.
 * If the filter is not available, nothing changes.
 */

import { dlopen, ptr } from 'bun:ffi';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { unlessThrown } from '../../base/errors.ts';
import { lazy } from '../../base/memo.ts';

/** From asm-generic/socket.h, which the systems that Bun runs on share. */
const SOL_SOCKET = 1;
const SO_ATTACH_FILTER = 26;
const SO_DETACH_FILTER = 27;
const SO_ATTACH_REUSEPORT_CBPF = 51;

/** A classic BPF instruction: code, jump if true, jump if false, operand (linux/filter.h). */
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, operand: number];
const RANDOM_NUMBER: Instruction = [0x20, 0, 0, 0xffff_f000 + 56];
const remainder = (by: number): Instruction => [0x94, 0, 0, by];
const plus = (number: number): Instruction => [0x04, 0, 0, number];
const RETURN_IT: Instruction = [0x16, 0, 0, 0];
const returning = (number: number): Instruction => [0x06, 0, 0, number];
/** Drops connection requests, which the client repeats after a second, and passes packets of open connections. */
const NO_NEW_CONNECTION: readonly Instruction[] = [
  [0x30, 0, 0, 13],
  [0x54, 0, 0, 0x12],
  [0x15, 0, 1, 0x02],
  returning(0),
  returning(0xffff_ffff),
];

/** More than the default backlog of any system. */
const MAX_WAITING = 4096;

interface Group {
  /** The socket of this process. */
  readonly socket: number;
  /** The sockets of all processes on this port. */
  readonly size: number;
}

export class SharedPort {
  /** The number of sockets of the other service. */
  private others = 0;

  /** `own`: the sockets of all processes of this service. `socket`: the one to close, if this process has two. */
  constructor(
    private readonly port: number,
    private readonly own: number,
    private readonly socket?: number,
  ) {}

  /** Steers connections to the other service, if one exists. Its sockets follow ours, because it started later. */
  leave(): void {
    const group = this.group();
    if (group === undefined || group.size <= this.own) return;
    this.others = group.size - this.own;
    steer(group.socket, this.own, group.size);
    attach(group.socket, SO_ATTACH_FILTER, NO_NEW_CONNECTION);
  }

  /**
   * Runs right before the socket closes, when the last socket of the group takes its index. The last of our sockets
   * selects an index that no longer exists afterwards, which restores the even distribution.
   */
  close(): void {
    const group = this.others === 0 ? undefined : this.group();
    if (group === undefined) return;
    const last = group.size - 1;
    if (last <= Math.max(this.own, this.others)) steer(group.socket, last, group.size);
    else steer(group.socket, this.own, last);
  }

  /**
   * The same, and closes the socket without its accepted connections, which the runtime would also close. Another file
   * takes over its descriptor number, and the runtime closes that instead.
   */
  closeAlone(): void {
    this.close();
    if (this.socket === undefined) return;
    const nothing = openSync('/dev/null', 'r');
    systemLibrary()?.dup2(nothing, this.socket);
    closeSync(nothing);
  }

  private group(): Group | undefined {
    const group = groupOf(this.port);
    return group && { ...group, socket: this.socket ?? group.socket };
  }
}

/** Selects a random socket in a range of indexes; an index that does not exist means any socket. */
function steer(socket: number, from: number, to: number): void {
  attach(socket, SO_ATTACH_REUSEPORT_CBPF, [RANDOM_NUMBER, remainder(to - from), plus(from), RETURN_IT]);
}

function attach(socket: number, option: number, program: readonly Instruction[]): void {
  const code = new DataView(new ArrayBuffer(8 * program.length));
  for (const [index, [operation, jumpTrue, jumpFalse, operand]] of program.entries()) {
    code.setUint16(8 * index, operation, true);
    code.setUint8(8 * index + 2, jumpTrue);
    code.setUint8(8 * index + 3, jumpFalse);
    code.setUint32(8 * index + 4, operand, true);
  }
  // struct sock_fprog: the number of instructions, and their address.
  const description = new BigUint64Array([BigInt(program.length), BigInt(ptr(code))]);
  systemLibrary()?.setsockopt(socket, SOL_SOCKET, option, ptr(description), description.byteLength);
}

/** The descriptor of the socket that listens on a port; undefined if it is unknown. */
export function listeningSocket(port: number): number | undefined {
  return systemLibrary() === undefined ? undefined : groupOf(port)?.socket;
}

/** Holds back new connections; open ones continue. */
export function holdConnections(socket: number): void {
  attach(socket, SO_ATTACH_FILTER, NO_NEW_CONNECTION);
}

/** Closes the connections that wait to be taken. Needs one free descriptor. */
export function dropWaiting(socket: number): void {
  const library = systemLibrary();
  for (let count = 0; library !== undefined && count < MAX_WAITING; count++) {
    const connection = library.accept(socket, null, null);
    if (connection < 0) return;
    library.close(connection);
  }
}

export function admitConnections(socket: number): void {
  const nothing = new Int32Array(1);
  systemLibrary()?.setsockopt(socket, SOL_SOCKET, SO_DETACH_FILTER, ptr(nothing), nothing.byteLength);
}

/** Finds the sockets that share a port. Returns undefined if unknown, e.g. on systems other than Linux. */
function groupOf(port: number): Group | undefined {
  try {
    const listeners = ['/proc/self/net/tcp', '/proc/self/net/tcp6'].flatMap((file) => listenersOf(file, port));
    // The socket was opened before its connections, so it comes first.
    for (const name of readdirSync('/proc/self/fd')) {
      // Another thread may close a descriptor at any time.
      const target = unlessThrown(() => readlinkSync(`/proc/self/fd/${name}`));
      const mine = listeners.find(({ inode }) => target === `socket:[${inode}]`);
      if (mine === undefined) continue;
      return { socket: Number(name), size: listeners.filter(({ address }) => address === mine.address).length };
    }
  } catch {
    // Not Linux, or no permission.
  }
  return undefined;
}

/** Lines of the table of sockets: https://docs.kernel.org/networking/proc_net_tcp.html */
function listenersOf(file: string, port: number): { address: string; inode: string }[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , state]) => state === '0A' && Number.parseInt(address?.split(':')[1] ?? '', 16) === port)
    .map(([, address = '', , , , , , , , inode = '']) => ({ address, inode }));
}

const openLibrary = lazy(() =>
  dlopen('libc.so.6', {
    setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
    dup2: { args: ['i32', 'i32'], returns: 'i32' },
    accept: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
  }),
);

function systemLibrary() {
  return unlessThrown(openLibrary)?.symbols;
}
