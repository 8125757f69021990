import type { Seed, SeedDomain } from '../../../../../src/emulator/account/seed.ts';
import type { ApiVersion } from '../../../../../src/core/model/endpoints.ts';
import type { WhyDocument } from '../../../../../src/service/why/why-document.ts';
import { byHand, editAlias } from '../../../support/applied.ts';
import { deliver } from '../../../support/deliver.ts';
import type { CommandScene } from '../../../support/scene.ts';

export const MANIFEST = `domains:
  acme.example:
    aliases:
      sales: ana@corp.example
      team: [ana@corp.example, ben@corp.example]
      spam: discard
      info: desk@hub.example
  hub.example:
    aliases: { desk: ben@corp.example }
`;
export const ACME: SeedDomain = {
  domain: 'acme.example',
  aliases: [
    { alias: 'sales', forward: 'ana@corp.example' },
    { alias: 'team', forward: 'ana@corp.example,ben@corp.example' },
    { alias: 'spam', forward: 'null' },
    { alias: 'info', forward: 'desk@hub.example' },
  ],
};
export const HUB: SeedDomain = {
  domain: 'hub.example',
  aliases: [{ alias: 'desk', forward: 'ben@corp.example' }],
};

/** The reason why a message did or did not arrive. */
interface Case {
  readonly cause: string;
  /** By default `sales@acme.example`. */
  readonly to?: string;
  readonly account?: NonNullable<Seed['account']>;
  readonly acme?: Partial<SeedDomain>;
  readonly manifest?: string;
  readonly only?: ApiVersion;
  /** Events before the question. */
  readonly happens?: (scene: CommandScene, version: ApiVersion) => unknown;
  readonly verdict: WhyDocument['verdict'];
  readonly sentence: string;
}

function aliasId({ emulator }: CommandScene, name: string): number | undefined {
  const [acme] = emulator.store.dump().domains;
  return acme?.aliases.find(({ alias }) => alias === name)?.id;
}

export const SALES = { to: 'sales@acme.example' };

export const CASES: readonly Case[] = [
  {
    cause: 'a banned domain',
    acme: { banned: true },
    happens: (scene) => deliver(scene, SALES),
    verdict: 'disabled',
    sentence: 'The service has banned acme.example: it forwards none of its mail.',
  },
  {
    cause: 'a domain whose routing somebody switched off',
    acme: { routing_engine: null },
    happens: (scene) => deliver(scene, SALES),
    verdict: 'disabled',
    sentence: 'The routing of acme.example is switched off in the account: none of its mail is forwarded.',
  },
  {
    cause: 'a locked account',
    account: { locked: true, lock_reason: 'unpaid invoice' },
    verdict: 'disabled',
    sentence:
      'The account owner@account.example is locked (unpaid invoice): the service forwards none of its mail.',
  },
  {
    cause: 'an account over its quota',
    account: { over_quota: true },
    only: 'v4',
    verdict: 'disabled',
    sentence: 'The account owner@account.example is over its quota: the service may not forward its mail.',
  },
  {
    cause: 'MX records that are gone',
    acme: { dns: 'missing' },
    happens: (scene) => byHand(scene, 'POST', '/domains/acme.example/verify', {}),
    verdict: 'not-receiving',
    sentence:
      'acme.example does not receive mail: its MX records do not point to the service, according to the service.',
  },
  {
    cause: 'an alias that somebody deleted',
    happens: async (scene) => {
      await byHand(scene, 'DELETE', `/domains/acme.example/aliases/${aliasId(scene, 'sales')}`, {});
      deliver(scene, SALES);
    },
    verdict: 'refused',
    sentence:
      'Mail to sales@acme.example is refused: nothing in the account matches it. The manifest sends it to ana@corp.example (alias sales, fwdsync.yaml:5:7): has it been applied?',
  },
  {
    cause: 'a name that nobody ever made',
    to: 'sale@acme.example',
    happens: (scene) => deliver(scene, { to: 'sale@acme.example' }),
    verdict: 'refused',
    sentence: 'Mail to sale@acme.example is refused: nothing in the account matches it.',
  },
  {
    cause: 'a domain that was not applied yet',
    to: 'sales@new.example',
    manifest: `${MANIFEST}  new.example: { aliases: { sales: ana@corp.example } }\n`,
    verdict: 'refused',
    sentence:
      'Mail to sales@new.example is refused: the account has no domain new.example. The manifest sends it to ana@corp.example (alias sales, fwdsync.yaml:11:29): has it been applied?',
  },
  {
    cause: 'a message that came before the alias did',
    to: 'late@acme.example',
    happens: async (scene) => {
      deliver(scene, { to: 'late@acme.example' });
      const body = { alias: 'late', forward: 'ana@corp.example' };
      await byHand(scene, 'POST', '/domains/acme.example/aliases', body);
    },
    verdict: 'refused',
    sentence:
      'The newest message to late@acme.example was refused (550 5.1.1 No such recipient). Now the account accepts such mail.',
  },
  {
    cause: 'aliases that lead round in a circle',
    to: 'info@acme.example',
    acme: {
      aliases: [
        { alias: 'info', forward: 'help@acme.example' },
        { alias: 'help', forward: 'info@acme.example' },
      ],
    },
    verdict: 'refused',
    sentence:
      'Mail to info@acme.example goes round in a circle (alias info, fwdsync.yaml:8:7) and is never delivered. The manifest sends it to ben@corp.example (alias info, fwdsync.yaml:8:7): has it been applied?',
  },
  {
    cause: 'a mailbox that is closed',
    happens: (scene) => deliver(scene, { ...SALES, outcome: 'HARD-BOUNCE' }),
    verdict: 'failing',
    sentence:
      'The newest message to sales@acme.example did not arrive: ana@corp.example did not accept it (550 5.1.1 No such user here).',
  },
  {
    cause: 'a destination that greylists',
    happens: (scene) => deliver(scene, { ...SALES, outcome: 'SOFT-BOUNCE' }),
    verdict: 'failing',
    sentence:
      'The newest message to sales@acme.example did not arrive: ana@corp.example has not accepted it yet, and the service retries (451 4.3.0 Temporary failure, try again later).',
  },
  {
    cause: 'one of two destinations that fails',
    to: 'team@acme.example',
    happens: (scene) =>
      deliver(scene, { to: 'team@acme.example', outcomes: { 'ben@corp.example': 'BOUNCED' } }),
    verdict: 'failing',
    sentence:
      'The newest message to team@acme.example did not arrive: ben@corp.example did not accept it (554 5.0.0 Delivery failed). It was delivered to ana@corp.example.',
  },
  {
    cause: 'a destination that failed and was changed since',
    happens: async (scene) => {
      await editAlias(scene, 'sales', 'old@corp.example');
      deliver(scene, { ...SALES, outcome: 'HARD-BOUNCE' });
      await editAlias(scene, 'sales', 'ana@corp.example');
    },
    verdict: 'failing',
    sentence:
      'The newest message to sales@acme.example did not arrive: old@corp.example did not accept it (550 5.1.1 No such user here). Now such mail goes to ana@corp.example (alias sales, fwdsync.yaml:5:7).',
  },
  {
    cause: 'a wrong destination',
    happens: async (scene) => {
      await editAlias(scene, 'sales', 'anna@corp.example');
      deliver(scene, SALES);
    },
    verdict: 'differs',
    sentence:
      'Mail to sales@acme.example goes to anna@corp.example, and not to ana@corp.example as the manifest says (alias sales, fwdsync.yaml:5:7).',
  },
  {
    cause: 'a rule in place of an alias',
    acme: {
      routing_engine: 'rules',
      rules: [{ id: 'r-1', type: 'alias', config: { alias: 'sales', forward: 'dan@corp.example' } }],
    },
    happens: (scene) => deliver(scene, SALES),
    verdict: 'differs',
    sentence:
      'Mail to sales@acme.example goes to dan@corp.example (rule r-1, only in the account), and not to ana@corp.example as the manifest says (alias sales, fwdsync.yaml:5:7).',
  },
  {
    cause: 'mail that somebody lets the account throw away',
    happens: (scene) => editAlias(scene, 'sales', 'null'),
    verdict: 'differs',
    sentence:
      'Mail to sales@acme.example is dropped, and not to ana@corp.example as the manifest says (alias sales, fwdsync.yaml:5:7).',
  },
  {
    cause: 'mail that the account should throw away',
    to: 'spam@acme.example',
    happens: (scene) => editAlias(scene, 'spam', 'ana@corp.example'),
    verdict: 'differs',
    sentence:
      'Mail to spam@acme.example goes to ana@corp.example, but the manifest drops it (alias spam, fwdsync.yaml:7:7).',
  },
  {
    cause: 'an alias that the manifest wants to be gone',
    to: 'gone@acme.example',
    manifest: MANIFEST.replace('spam:', 'gone: { state: absent }\n      spam:'),
    acme: { aliases: [{ alias: 'gone', forward: 'ana@corp.example' }] },
    verdict: 'differs',
    sentence:
      'Mail to gone@acme.example goes to ana@corp.example (alias gone, fwdsync.yaml:7:7), but the manifest delivers it nowhere.',
  },
  {
    cause: 'mail that is dropped',
    to: 'spam@acme.example',
    happens: (scene) => deliver(scene, { to: 'spam@acme.example' }),
    verdict: 'discarded',
    sentence: 'Mail to spam@acme.example is accepted and dropped (alias spam, fwdsync.yaml:7:7).',
  },
  {
    cause: 'a message that arrived',
    happens: (scene) => deliver(scene, SALES),
    verdict: 'delivered',
    sentence:
      'The newest message to sales@acme.example was delivered to ana@corp.example at TIME. Look in that mailbox, also in its spam folder.',
  },
  {
    cause: 'a message that went on through another domain of the account',
    to: 'info@acme.example',
    happens: (scene) => deliver(scene, { to: 'info@acme.example' }),
    verdict: 'delivered',
    sentence:
      'The newest message to info@acme.example was delivered to desk@hub.example at TIME. The account forwards it from there: `fwdsync why desk@hub.example -f DIR/fwdsync.yaml`.',
  },
  {
    cause: 'a message that arrived after one that did not',
    happens: (scene) => {
      deliver(scene, { ...SALES, outcome: 'HARD-BOUNCE' });
      deliver(scene, SALES);
    },
    verdict: 'delivered',
    sentence:
      'The newest message to sales@acme.example was delivered to ana@corp.example at TIME. Look in that mailbox, also in its spam folder.',
  },
  {
    cause: 'a message that never came',
    happens: (scene) => deliver(scene, { to: 'team@acme.example' }),
    verdict: 'not-seen',
    sentence:
      'No message to sales@acme.example has reached the service in the last 24h. Check the address of the recipient, and ask the sender for the error message.',
  },
  {
    cause: 'a message that came long ago',
    happens: (scene) => {
      deliver(scene, { ...SALES, outcome: 'HARD-BOUNCE' });
      scene.clock.advance(25 * 3_600_000);
    },
    verdict: 'not-seen',
    sentence:
      'No message to sales@acme.example has reached the service in the last 24h. Check the address of the recipient, and ask the sender for the error message.',
  },
  {
    cause: 'a message that is on its way',
    happens: (scene) => deliver(scene, { ...SALES, outcome: ['QUEUED'] }),
    verdict: 'unknown',
    sentence:
      'The newest message to sales@acme.example is not delivered yet: the logs do not show its result. Try again in some minutes.',
  },
];
