/** Limits of `POST /mcp`. */

/** Rows of a read, and by default. */
export const MCP_MAX_ROWS = 200;
export const MCP_ROWS = 50;
/** The bytes of a result, and of a message. */
export const MCP_RESULT_BYTES = 100_000;
export const MCP_MESSAGE_BYTES = 1024 * 1024;
/** Previewed writes that wait to be carried out: their number, and how long they wait. */
export const MCP_PREVIEWS = 1_000;
export const MCP_PREVIEW_MS = 600_000;
