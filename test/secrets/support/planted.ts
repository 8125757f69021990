import { searchIn, type Found } from '../../support/search.ts';

/** With characters that every encoding writes in another way. */
export const PLANTED = {
  key: 'k3y-of-"the"\\acc0unt/+&=%',
  password: 'p4ss "word"\\ with + & / ümläut',
  changed: 'an0ther "p4ss"\\ with + & / ümläut',
  short: 'sh"0rt+',
  fromFile: 'fr0m-a-f1le/with+"odd"\\signs',
  destination: 'th3.boss+private@secret-corp.example',
};

/** The values behind the references of the manifest. */
export const ENV = { FWDSYNC_API_KEY: PLANTED.key, CAROL: PLANTED.password, BOSS: PLANTED.destination };

/** A file with a password that the manifest refers to. */
export const SECRET_FILE = 'secret.txt';

export const OWNER = 'owner@account.example';

/** Below `version: 1`. */
export const MANIFEST = `api: { account: ${OWNER} }
destinations:
  boss: { env: BOSS }
domains:
  acme.example:
    verify: true
    aliases:
      sales: boss
      info: [boss, ana@corp.example]
    rules:
      - { name: vip, alias: vip, forward: boss }
    credentials:
      carol: { password: { env: CAROL } }
      dan: { password: { file: ${SECRET_FILE} } }
`;

export const SEED = {
  domains: [
    {
      domain: 'acme.example',
      routing_engine: 'rules' as const,
      forwarding_ready: false,
      aliases: [{ alias: 'old', forward: PLANTED.destination }],
    },
  ],
};

/** Places in which a planted value was found. */
export function findings(texts: readonly Found[]): readonly string[] {
  return texts.flatMap((found) => searchIn(found, PLANTED));
}
