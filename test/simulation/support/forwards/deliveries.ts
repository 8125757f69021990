import type { State } from '../../../../src/emulator/account/state.ts';
import { routeMail } from '../../../../src/emulator/delivery/delivery-routing.ts';

/** Routes of mail to each address at one moment, hop by hop through all domains of the account. */
export interface Deliveries {
  /** The last write. */
  readonly after: string;
  readonly ways: ReadonlyMap<string, MailWay>;
}

export interface MailWay {
  /** Final destinations, sorted. Empty means that the mail is lost. */
  readonly ends: readonly string[];
  /** Addresses of the account that the mail passes, its recipient first. */
  readonly passed: readonly string[];
}

/** Follows a mail to each address through the emulator's delivery, without sending it. */
export function deliveriesIn(state: State, addresses: readonly string[], after: string): Deliveries {
  return { after, ways: new Map(addresses.map((address) => [address, wayOf(state, address)])) };
}

function wayOf(state: State, address: string): MailWay {
  const ends = new Set<string>();
  const reached = new Set([address]);
  // The loop adds addresses to the list.
  for (const to of reached) {
    const domain = state.domains.get(to.slice(to.lastIndexOf('@') + 1));
    if (domain === undefined) {
      ends.add(to);
      continue;
    }
    const route = routeMail(state, domain, {
      recipient: to,
      sender: 'x@elsewhere.example',
      subject: '',
      body: '',
    });
    if (route.kind === 'refused') continue;
    const next = route.forward.split(',').map((one) => one.trim());
    for (const one of next) if (one !== 'null') reached.add(one);
  }
  return { ends: [...ends].sort(), passed: [...reached.difference(ends)] };
}

export function isLost({ ways }: Deliveries, address: string): boolean {
  return ways.get(address)?.ends.length === 0;
}

/** Checks promise 1 to the final destinations. Returns a sentence for each moment when mail is lost that is not lost at the start or end. */
export function lossesBetween(
  start: Deliveries,
  moments: readonly Deliveries[],
  end: Deliveries,
): readonly string[] {
  return moments.flatMap((moment) =>
    [...moment.ways.keys()]
      .filter((address) => isLost(moment, address) && !isLost(start, address) && !isLost(end, address))
      .map((address) => `mail to ${address} is lost after ${moment.after}`),
  );
}
