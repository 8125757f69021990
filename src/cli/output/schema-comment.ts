import { pathToFileURL } from 'node:url';
import { findInstalled } from '../input/installed.ts';

/** The comment by which editors find the schema of manifests: the installed one, for it is published nowhere yet. */
export function schemaComment(): string {
  return `yaml-language-server: $schema=${pathToFileURL(findInstalled('schemas/manifest.v1.schema.json')).href}`;
}
