/** Previewed writes that wait to be carried out. This process does not know those of others. */
import { MCP_CALLER_PREVIEWS, MCP_PREVIEW_MS, MCP_PREVIEWS } from '../../base/limits/http.ts';

interface Preview {
  readonly caller: string;
  readonly session: string;
  /** A batch. As bytes, which are exactly its memory. */
  readonly body: Uint8Array<ArrayBuffer>;
}

export class Previews {
  /** By token, the oldest first. */
  private readonly previews = new Map<string, Preview & { readonly until: number }>();

  /** Returns the token. The oldest previews make room for it: first those of its caller, then any. */
  add(preview: Preview): string {
    const token = crypto.randomUUID().slice(0, 8);
    this.previews.set(token, { ...preview, until: Date.now() + MCP_PREVIEW_MS });
    this.dropOldest(MCP_CALLER_PREVIEWS, preview.caller);
    this.dropOldest(MCP_PREVIEWS);
    return token;
  }

  /** Returns and removes the body: a token is used once, also if the response is lost. */
  take(token: string, caller: string, session: string): Preview['body'] | undefined {
    const found = this.previews.get(token);
    if (found?.caller !== caller || found.session !== session || Date.now() > found.until) return undefined;
    this.previews.delete(token);
    return found.body;
  }

  private dropOldest(limit: typeof MCP_PREVIEWS, caller?: string): void {
    const now = Date.now();
    let [count, bytes] = [0, 0];
    for (const [token, preview] of [...this.previews].reverse()) {
      if (caller !== undefined && preview.caller !== caller) continue;
      count++;
      bytes += preview.body.length;
      if (count > limit.count || bytes > limit.bytes || now > preview.until) this.previews.delete(token);
    }
  }
}
