import { pathToFileURL } from 'node:url';
import { findInstalled } from '../input/installed.ts';

/**
 * Returns the comment by which editors find the schema of manifests. It names the installed schema, because none is
 * published yet.
 */
export function schemaComment(): string {
  return `yaml-language-server: $schema=${pathToFileURL(findInstalled('schemas/manifest.v1.schema.json')).href}`;
}
