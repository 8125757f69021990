import { quote } from '../../model/names.ts';
import type { RoutedAlias } from '../route.ts';
import type { Overlap } from './overlaps.ts';

/** Returns what a user is told of two overlapping patterns of a domain. */
export function overlapText(
  domain: string,
  { first, second, localPart }: Overlap<RoutedAlias>,
): { readonly message: string; readonly hint: string } {
  return {
    message: `the aliases ${quote(first.name)} and ${quote(second.name)} both match ${quote(`${localPart}@${domain}`)} and forward to different destinations: it is not known which of them gets its mail`,
    hint: `let only one of them match it, or add an alias ${quote(localPart)}`,
  };
}
