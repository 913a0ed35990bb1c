/** The metrics of the feed. */
import { counter, gauge, type Metric } from '../base/metric.ts';

export function feedMetrics(subscribers: number, unsentBytes: number, events: number): readonly Metric[] {
  return [
    gauge('feed_subscribers', 'Clients that follow a list.', subscribers),
    gauge('feed_unsent_bytes', 'Bytes that wait for slow clients.', unsentBytes),
    counter('feed_events_total', 'Changes sent to them.', events),
  ];
}
