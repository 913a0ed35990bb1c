/** Lets the clients of a measurement share the cores with the service without distorting it. Needs root on Linux. */
import { existsSync, readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Sets the niceness of all threads of a process. Without the right to do so, nothing changes. */
export function setNiceness(pid: number, niceness: number): void {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return;
  for (const thread of readdirSync(threads)) {
    try {
      setPriority(Number(thread), niceness);
    } catch {
      return;
    }
  }
}
