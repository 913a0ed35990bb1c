/** Work by name of which one run is in progress at a time. Callers share it. */
export function sharedRuns(work: (name: string) => Promise<void>): (name: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  return (name) => {
    const run = running.get(name) ?? work(name).finally(() => running.delete(name));
    running.set(name, run);
    return run;
  };
}
