/**
 * New credentials for a page whose session or token has ended. A dialog asks for them, so that the page keeps what was
 * typed; the rejected requests are then sent again.
 */
type Listener = (reason: string, finish: (isRenewed: boolean) => void) => void;

let listener: Listener | undefined;
let renewal: Promise<boolean> | undefined;

/** Registers the dialog while it is mounted. */
export function onCredentialsEnd(next: Listener): () => void {
  listener = next;
  return () => {
    if (listener === next) listener = undefined;
  };
}

/** Asks once for all requests that are rejected together. Resolves to whether there are new credentials. */
export function renewCredentials(reason: string): Promise<boolean> | undefined {
  if (listener === undefined) return undefined;
  const ask = listener;
  renewal ??= new Promise<boolean>((resolve) => ask(reason, resolve)).finally(() => {
    renewal = undefined;
  });
  return renewal;
}
