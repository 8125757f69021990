import { deliverMessage, type Message } from '../../../src/emulator/delivery/delivery.ts';
import type { CommandScene } from './scene.ts';

/** Delivers a mail and advances the clock by a minute. */
export function deliver(
  { emulator, clock }: CommandScene,
  message: Partial<Message> & { readonly to: string },
): void {
  const delivered = deliverMessage(emulator.store.state, { from: 'ana@corp.example', ...message });
  if (!delivered.ok) throw new Error('not delivered');
  clock.advance(60_000);
}
