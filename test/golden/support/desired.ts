import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadManifest } from '../../../src/core/manifest/load.ts';
import type { Desired } from '../../../src/core/model/desired.ts';
import type { GoldenCase, Version } from './case.ts';

/** The case's manifest as plain resources; null when it has errors. */
export function loadDesired({ directory, manifest, options }: GoldenCase, version: Version): Desired | null {
  const path = join(directory, manifest);
  const files = statSync(path).isDirectory()
    ? readdirSync(path).map((name) => join(manifest, name))
    : [manifest];
  const texts = files.map((file) => ({ file, text: readFileSync(join(directory, file), 'utf8') }));
  const resolve = (reference: { readonly shown: string }): string | null =>
    options.env?.[/env: (\w+)/.exec(reference.shown)?.[1] ?? ''] ?? null;
  return loadManifest(texts, { references: 'required', resolve, apiVersion: version }).desired;
}
