import { expect, test } from 'vitest';
import { NOTICE_EVENTS, TONES, type Notice, type NoticeEvent } from '../../../src/service/notify/notice.ts';
import { addNotices, readOutbox } from '../../../src/service/notify/outbox.ts';

function notice(event: NoticeEvent): Notice {
  return { event, account: 'acme', headline: event, items: [], count: 1, urgent: true };
}

/** Returns the waiting events after these were reported while no mail could be sent. */
function waitingAfter(events: readonly NoticeEvent[]): readonly NoticeEvent[] {
  const told = events.map((event, index) => ({ id: String(index), at: index, notice: notice(event) }));
  return addNotices(readOutbox(null, 0), told).waiting.map((entry) => entry.notice.event);
}

test.each(NOTICE_EVENTS.filter((event) => TONES[event] === 'good'))(
  'a problem that returns after %s waits twice, a lasting one waits once',
  (good) => {
    for (const bad of ['domain-not-receiving', 'delivery-failing', 'drift-found'] as const) {
      expect(waitingAfter([bad, good, bad])).toEqual([bad, good, bad]);
      expect(waitingAfter([bad, bad])).toEqual([bad]);
    }
  },
);
