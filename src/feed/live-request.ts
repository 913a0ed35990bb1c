/**
 * A request of the service itself for a feed that begins with the next change and has no rows. A row that enters the
 * filter by an update is an update, and one that leaves it has no event, as in Supabase Realtime. The data of an event
 * is the key and the row, with a tab between them.
 */
export class LiveRequest extends Request {}
