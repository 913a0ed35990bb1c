/** The actions of the bystander in the shop besides reads and writes: it shows thumbnails and follows a product. */
import { gradient } from '../../test/support/pictures.ts';

type Send = (path: string, init?: RequestInit) => Promise<Response>;

const PICTURES = 50;
const SIZES = [64, 128].flatMap((width) => ['webp', 'jpeg', 'png'].map((format) => `?width=${width}&format=${format}`));

/** Uploads small pictures. Generates paths of sizes that nobody has asked for yet. */
export async function uploadPictures(send: Send): Promise<Iterator<string, string>> {
  const ids: string[] = [];
  for (let seed = 0; seed < PICTURES; seed++) {
    // Bytes after the end make it another picture in each run.
    const body = Buffer.concat([gradient(300, 200, seed), Buffer.from(crypto.randomUUID())]);
    const response = await send('/files', { method: 'POST', body, headers: { 'content-type': 'image/png' } });
    if (response.status !== 201) throw new Error(`a picture: ${response.status} ${await response.text()}`);
    ids.push(((await response.json()) as { id: string }).id);
  }
  return paths(ids);
}

function* paths(ids: readonly string[]): Generator<string, never> {
  for (;;) for (const size of SIZES) for (const id of ids) yield `/files/${id}/small.png${size}`;
}

/** Follows an item. The result changes its name and resolves to whether the feed reported the change. */
export async function followEvents(
  send: Send,
  item: string,
  giveUpMs: number,
): Promise<(patch: (body: object) => Promise<boolean>) => Promise<boolean>> {
  const waiting = new Map<number, () => void>();
  const path = `/products?id=eq.${item.split('/').at(-1)}&select=id,name`;
  const read = async (ready: () => void) => {
    const signal = new AbortController().signal;
    const response = await send(path, { headers: { accept: 'text/event-stream' }, signal });
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) {
      ready();
      for (const [, count] of decoder.decode(part, { stream: true }).matchAll(/"name":"event (\d+)"/g)) {
        // One event may report several changes.
        for (const [known, resolve] of waiting) if (known <= Number(count)) resolve();
      }
    }
  };
  const ready = Promise.withResolvers<void>();
  const follow = async () => {
    for (;;) await read(ready.resolve).catch(() => Bun.sleep(100));
  };
  void follow();
  await ready.promise;
  let count = Date.now();
  return async (patch) => {
    const own = ++count;
    const reported = Promise.withResolvers<boolean>();
    waiting.set(own, () => reported.resolve(true));
    const timer = setTimeout(() => reported.resolve(false), giveUpMs);
    try {
      return (await patch({ name: `event ${own}` })) && (await reported.promise);
    } finally {
      clearTimeout(timer);
      waiting.delete(own);
    }
  };
}
