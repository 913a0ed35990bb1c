/** Limits of `POST /mcp`. */

/** Rows of a read, and by default. */
export const MCP_MAX_ROWS = 200;
export const MCP_ROWS = 50;
/** The bytes of a result, and of a message. */
export const MCP_RESULT_BYTES = 100_000;
export const MCP_MESSAGE_BYTES = 1024 * 1024;
/** Previewed writes that wait to be carried out, of all callers and of one, and how long they wait. */
export const MCP_PREVIEWS = { count: 1_000, bytes: 16 * 1024 * 1024 };
export const MCP_CALLER_PREVIEWS = { count: 16, bytes: 4 * 1024 * 1024 };
export const MCP_PREVIEW_MS = 600_000;
