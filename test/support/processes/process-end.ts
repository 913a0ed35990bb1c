/** Runs a shell script when this process ends for any reason, because its end of a pipe then closes. */
export function whenThisProcessEnds(script: string): void {
  Bun.spawn(['sh', '-c', `trap '' INT TERM HUP; cat > /dev/null; ${script}`], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  }).unref();
}
