import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const SERVER = require.resolve('yaml-language-server/bin/yaml-language-server');
const HEAD = '# yaml-language-server: $schema=../schemas/manifest.v1.schema.json\nversion: 1\n';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

/** A language server, asked over its protocol as an editor does. */
interface Server {
  request(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): void;
  /** Resolves to the next message of this kind. */
  next(method: string, matches: (params: never) => boolean): Promise<unknown>;
  close(): void;
}

function startServer(): Server {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [SERVER, '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Set<(message: Message) => boolean>();
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const wait = <Value>(take: (message: Message) => Value | undefined): Promise<Value> =>
    new Promise((resolve) => {
      const listener = (message: Message): boolean => {
        const value = take(message);
        if (value === undefined) return false;
        waiting.delete(listener);
        resolve(value);
        return true;
      };
      waiting.add(listener);
    });
  onMessages(child.stdout, (message) => {
    for (const listener of waiting) listener(message);
    // Answers the server's questions, such as for settings, with defaults.
    if (message.id !== undefined && message.method !== undefined) {
      const items = (message.params as { readonly items?: readonly unknown[] } | undefined)?.items ?? [];
      send({
        id: message.id,
        result: message.method === 'workspace/configuration' ? items.map(() => null) : null,
      });
    }
  });
  let id = 0;
  return {
    async request(method, params) {
      id += 1;
      const own = id;
      const answer = wait((message) =>
        message.id === own && message.method === undefined ? message : undefined,
      );
      send({ id: own, method, params });
      return (await answer).result;
    },
    notify: (method, params) => send({ method, params }),
    next: (method, matches) =>
      wait((message) =>
        message.method === method && matches(message.params as never) ? message.params : undefined,
      ),
    close: () => child.kill(),
  };
}

function onMessages(stream: Readable, take: (message: Message) => void): void {
  let pending = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const head = pending.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/i.exec(pending.toString('latin1', 0, head))?.[1]);
      if (head < 0 || pending.length < head + 4 + length) return;
      const body = pending.toString('utf8', head + 4, head + 4 + length);
      pending = pending.subarray(head + 4 + length);
      take(JSON.parse(body) as Message);
    }
  });
}

interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}

describe('yaml-language-server with the schema of the manifest', () => {
  let server: Server;
  let opened = 0;

  beforeAll(async () => {
    server = startServer();
    const capabilities = {
      textDocument: {
        hover: { contentFormat: ['markdown', 'plaintext'] },
        completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } },
        publishDiagnostics: {},
      },
      workspace: { configuration: true },
    };
    const rootUri = pathToFileURL(join(ROOT, 'examples')).href;
    await server.request('initialize', {
      processId: process.pid,
      rootUri,
      capabilities,
      workspaceFolders: null,
    });
    server.notify('initialized', {});
    const yaml = { validate: true, hover: true, completion: true, schemaStore: { enable: false } };
    server.notify('workspace/didChangeConfiguration', { settings: { yaml } });
  }, 30_000);

  afterAll(() => server.close());

  /** Opens a manifest beside the examples. `|` marks the position of the cursor. */
  async function open(text: string) {
    opened += 1;
    const uri = pathToFileURL(join(ROOT, `examples/unsaved-${opened}.yaml`)).href;
    const before = `${HEAD}${text}`.split('|')[0] ?? '';
    const position = {
      line: before.split('\n').length - 1,
      character: before.split('\n').at(-1)?.length ?? 0,
    };
    const published = server.next(
      'textDocument/publishDiagnostics',
      (params: { readonly uri: string }) => params.uri === uri,
    );
    const document = { uri, languageId: 'yaml', version: 1, text: `${HEAD}${text.replace('|', '')}` };
    server.notify('textDocument/didOpen', { textDocument: document });
    const { diagnostics } = (await published) as { readonly diagnostics: readonly Diagnostic[] };
    return { at: { textDocument: { uri }, position }, diagnostics };
  }

  async function labels(text: string): Promise<readonly string[]> {
    const { at } = await open(text);
    const { items } = (await server.request('textDocument/completion', at)) as {
      readonly items: readonly { readonly label: string }[];
    };
    return items.map(({ label }) => label);
  }

  async function hover(text: string): Promise<string> {
    const { at } = await open(text);
    const answer = (await server.request('textDocument/hover', at)) as {
      readonly contents: { readonly value: string };
    };
    return answer.contents.value;
  }

  test('a valid manifest has no diagnostics', async () => {
    const { diagnostics } = await open(
      'domains:\n  acme.example:\n    aliases: { info: ana@corp.example }\n',
    );
    expect(diagnostics).toEqual([]);
  });

  test.each([
    ['a wrong key', 'domains:\n  acme.example:\n    alias: {}\n', 4, 4, /alias/],
    ['a wrong type', 'domains:\n  acme.example:\n    prune: often\n', 4, 11, /boolean|type/i],
    ['a wrong value', 'domains:\n  acme.example:\n    state: gone\n', 4, 11, /absent/],
    ['a value left blank', 'domains:\n  acme.example:\n    aliases:\n', 4, 12, /object|type/i],
  ])('marks %s at its place', async (_, text, line, character, message) => {
    const { diagnostics } = await open(text);
    expect(diagnostics.map(({ range }) => range.start)).toContainEqual({ line, character });
    expect(diagnostics.map((diagnostic) => diagnostic.message).join('\n')).toMatch(message);
  });

  test('completes keys where they may stand', async () => {
    const root = await labels('|');
    expect(root).toEqual(expect.arrayContaining(['domains', 'destinations', 'templates', 'guards']));
    const domain = await labels('domains:\n  acme.example:\n    |');
    expect(domain).toEqual(
      expect.arrayContaining(['aliases', 'rules', 'credentials', 'prune', 'whitelabel']),
    );
    expect(domain).not.toContain('domains');
    const rule = await labels('domains:\n  acme.example:\n    rules:\n      - name: x\n        |');
    expect(rule).toEqual(expect.arrayContaining(['regex', 'scopes', 'expression', 'forward']));
  });

  test('completes values that are a choice', async () => {
    expect(await labels('api:\n  version: |')).toEqual(expect.arrayContaining(['v4', 'v3']));
  });

  test('shows the description of a key on hover', async () => {
    expect(await hover('domains:\n  acme.example:\n    whitel|abel: none\n')).toMatch(/DNS|parent/i);
    expect(await hover('gua|rds: { max_deletes: 3 }\ndomains: {}\n')).toMatch(/\w{4,} \w+/);
    expect(
      await hover(
        'domains:\n  acme.example:\n    rules:\n      - { name: x, reg|ex: a, scopes: [body], forward: a@b.example }\n',
      ),
    ).toMatch(/pattern|expression|mail/i);
  });
});
