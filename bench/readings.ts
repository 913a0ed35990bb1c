/** What the system knows of a process: the time it used and the memory it holds. Linux only; elsewhere NaN. */

/** Seconds of processor time so far, of all its threads. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await textOf(`/proc/${pid}/stat`);
  // The name, in parentheses, may hold spaces; user and system time are the 14th and 15th fields, in hundredths.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? Number.NaN) + Number(fields[12] ?? Number.NaN)) / 100;
}

export async function residentMegabytes(pid: number): Promise<number> {
  return megabytes(await textOf(`/proc/${pid}/status`), /VmRSS:\s+(\d+)/);
}

/** The most it has held since it started, or since `forgetPeak`. */
export async function peakMegabytes(pid: number): Promise<number> {
  return megabytes(await textOf(`/proc/${pid}/status`), /VmHWM:\s+(\d+)/);
}

export async function forgetPeak(pid: number): Promise<void> {
  if ((await textOf(`/proc/${pid}/status`)) !== '') await Bun.write(`/proc/${pid}/clear_refs`, '5');
}

function megabytes(status: string, pattern: RegExp): number {
  return Number(pattern.exec(status)?.[1] ?? Number.NaN) / 1024;
}

async function textOf(path: string): Promise<string> {
  return Bun.file(path)
    .text()
    .catch(() => '');
}
