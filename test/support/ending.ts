/** What is to be done when this process ends, however it ends: then its end of a pipe closes. */
export function whenThisProcessEnds(script: string): void {
  Bun.spawn(['sh', '-c', `trap '' INT TERM HUP; cat > /dev/null; ${script}`], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  }).unref();
}
