import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fwdsync, type CommandResult } from '../../support/command.ts';
import { openTwoAccounts, type TwoAccounts } from '../support/two-accounts.ts';

const DOMAIN = 'moved.example';

interface Scene extends TwoAccounts {
  readonly run: (...args: readonly string[]) => Promise<CommandResult>;
  readonly write: (name: 'acme' | 'beta', domains: string) => Promise<void>;
  readonly domains: (name: 'acme' | 'beta') => readonly string[];
}

/** `moved.example` is live in acme, whose manifest deletes it, and wanted in beta. */
async function moving(): Promise<Scene> {
  const accounts = await openTwoAccounts();
  const { acme, directory, env } = accounts;
  const state = acme.store.dump();
  acme.store.replace({
    ...state,
    domains: [...state.domains, ...state.domains.map((domain) => ({ ...domain, domain: DOMAIN }))],
  });
  const write: Scene['write'] = (name, domains) =>
    writeFile(
      join(directory, 'many', `${name}.yaml`),
      `version: 1\napi: { account: owner@${name}.example, key: { env: KEY }, url: "${accounts[name].urls.v4}" }\n${domains}\n`,
    );
  await write('acme', `domains: { ${DOMAIN}: { state: absent } }`);
  await write('beta', `domains: { ${DOMAIN}: { aliases: { "*": all@corp.example } } }`);
  return {
    ...accounts,
    write,
    run: (...args) => fwdsync([...args, '--accounts', 'many'], { cwd: directory, env }),
    domains: (name) => accounts[name].store.dump().domains.map(({ domain }) => domain),
  };
}

const APPLY = ['apply', '--yes', '--allow-domain-delete', DOMAIN];

describe('a domain that moves to another account', () => {
  test('is no conflict, is announced, and domain-delete holds as always', async () => {
    const { run, domains } = await moving();
    expect((await run('validate')).code).toBe(0);
    const plan = await run('plan');
    expect(plan.stderr).toContain(`${DOMAIN} moves from acme to beta`);
    expect(plan.stdout).toContain('[domain-delete]');
    expect(plan.code).toBe(4);
    await run('apply', '--yes');
    expect(domains('acme')).toContain(DOMAIN);
  });

  test('is deleted only by a run that found it in place there, ready to forward', async () => {
    const { run, domains, beta } = await moving();
    const first = await run(...APPLY);
    expect(first.stdout).toContain('it is not ready to forward there yet');
    expect(domains('beta')).toContain(DOMAIN);
    expect(domains('acme')).toContain(DOMAIN);
    expect(first.code).toBe(3);
    const state = beta.store.dump();
    beta.store.replace({
      ...state,
      domains: state.domains.map((domain) => ({ ...domain, forwarding_ready: true })),
    });
    const second = await run(...APPLY);
    expect(second.code, second.stdout + second.stderr).toBe(0);
    expect(domains('acme')).not.toContain(DOMAIN);
  });

  test('stays where the service refuses it in the other account; the message names the manual steps', async () => {
    const { run, domains, beta } = await moving();
    beta.faults.push({
      match: { method: 'POST', path: '/domains', times: 'always' },
      do: { kind: 'status', code: 400 },
    });
    const { code, stdout } = await run(...APPLY);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('move it by hand: delete it here with apply -f');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('mail to it is refused in between');
    expect(domains('acme')).toContain(DOMAIN);
    expect(code).toBe(1);
  });

  test('stays where it is while the other account cannot be read', async () => {
    const { run, domains, beta } = await moving();
    beta.faults.push({ match: { times: 'always' }, do: { kind: 'status', code: 401 } });
    const { code, stdout } = await run(...APPLY);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('that account could not be read');
    expect(domains('acme')).toContain(DOMAIN);
    expect(code).toBe(1);
  });

  test('stays while a manifest is not valid, and where two accounts exchange domains', async () => {
    const { run, write, domains } = await moving();
    await write('beta', 'domain: {}');
    const invalid = await run(...APPLY);
    expect(invalid.stdout.replaceAll(/\s+/g, ' ')).toContain('the manifest of beta is not valid');
    expect(invalid.code).toBe(5);
    await write('acme', `domains: { ${DOMAIN}: { state: absent }, beta.example: {} }`);
    await write('beta', `domains: { ${DOMAIN}: {}, beta.example: { state: absent } }`);
    await run(...APPLY, '--allow-domain-delete', 'beta.example');
    expect(domains('acme')).toContain(DOMAIN);
    expect(domains('beta')).toContain('beta.example');
  });

  test('two tombstones, or two that have it, are a conflict still', async () => {
    const { run, write } = await moving();
    for (const domain of ['{ state: absent }', '{}']) {
      await write('acme', `domains: { ${DOMAIN}: ${domain} }`);
      await write('beta', `domains: { ${DOMAIN}: ${domain} }`);
      expect((await run('validate')).code).toBe(5);
    }
  });
});
