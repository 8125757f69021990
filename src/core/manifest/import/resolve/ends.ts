import { domainPartOf } from '../../../model/names.ts';
import { parseDestination } from '../../resolve/values/destination-text.ts';
import type { LeftOutReason, Target } from '../forwards.ts';
import { findEntry, type Forwards } from './find.ts';

/** The ends of mail that was followed. */
export interface SourceEnds {
  /**
   * Destinations as a manifest writes them; only `discard` if mail is dropped. Empty if a manifest cannot express any.
   */
  readonly forward: readonly string[];
  /** Reasons why some destinations are missing. */
  readonly lost: readonly LeftOutReason[];
}

/** The most addresses on the way, and destinations at the end, that Postfix allows. */
const MOST = 1000;

/** Follows mail to an address to its ends; null if no entry takes it. */
export function endsOfAddress(address: string, forwards: Forwards): SourceEnds | null {
  const found = findEntry(address, forwards);
  if (found === null) return null;
  const path = newPath(forwards);
  path.open.add(address.toLowerCase());
  if (followAll(found.targets, address, path) > MOST) path.lost.add('limit');
  return endsOfPath(path);
}

/** Follows targets that do not depend on the address. */
export function endsOfTargets(targets: readonly Target[], forwards: Forwards): SourceEnds {
  const path = newPath(forwards);
  if (followAll(targets, '', path) > MOST) path.lost.add('limit');
  return endsOfPath(path);
}

interface Path {
  readonly forwards: Forwards;
  /** Addresses on the way to the current one. */
  readonly open: Set<string>;
  /** Addresses that were followed to their ends, with the number of ends. */
  readonly left: Map<string, number>;
  readonly destinations: Set<string>;
  readonly lost: Set<LeftOutReason>;
  isDiscarded: boolean;
}

function newPath(forwards: Forwards): Path {
  return {
    forwards,
    open: new Set(),
    left: new Map(),
    destinations: new Set(),
    lost: new Set(),
    isDiscarded: false,
  };
}

function endsOfPath({ destinations, lost, isDiscarded, forwards }: Path): SourceEnds {
  const isBroken = lost.has('limit') || (lost.has('loop') && forwards.loops === 'all-lost');
  if (isBroken) return { forward: [], lost: [lost.has('loop') ? 'loop' : 'limit'] };
  const isAlone = destinations.size === 0 && lost.size === 0 && isDiscarded;
  return { forward: isAlone ? ['discard'] : [...destinations], lost: [...lost] };
}

/** Follows the targets of an address and returns the number of ends. A discard counts only if it is alone. */
function followAll(targets: readonly Target[], from: string, path: Path): number {
  const isAlone = targets.every(({ kind }) => kind === 'discard');
  let ends = 0;
  for (const target of targets) ends += followTarget(target, from, isAlone, path);
  return ends;
}

function followTarget(target: Target, from: string, isAlone: boolean, path: Path): number {
  switch (target.kind) {
    case 'address':
      return followAddress(target.address, from, path);
    case 'webhook':
      return endAt(target.url, path);
    case 'discard':
      path.isDiscarded ||= isAlone;
      return 1;
    case 'refuse':
      return 1;
    case 'lost':
      path.lost.add(target.reason);
      return 1;
    case 'same-name':
    case 'template':
      // These cannot be followed without an address.
      path.lost.add('capture');
      return 1;
  }
}

function followAddress(address: string, from: string, path: Path): number {
  const { forwards, open, left, lost } = path;
  if (!forwards.domains.has(domainPartOf(address))) return endAt(address, path);
  const key = address.toLowerCase();
  const known = left.get(key);
  if (known !== undefined) return known;
  const found = findEntry(address, forwards);
  if (found === null || key === from.toLowerCase()) {
    lost.add('mailbox');
    return 1;
  }
  if (open.has(key)) {
    lost.add('loop');
    return 1;
  }
  if (open.size >= MOST || left.size >= MOST) {
    lost.add('limit');
    return 1;
  }
  open.add(key);
  const ends = followAll(found.targets, address, path);
  open.delete(key);
  left.set(key, ends);
  if (ends > MOST) lost.add('limit');
  return ends;
}

function endAt(text: string, { destinations, lost }: Path): number {
  const parsed = parseDestination(text);
  if (parsed?.ok === true && !text.includes('$')) destinations.add(parsed.value.destination);
  else lost.add('destination');
  return 1;
}
