import { Document, visit } from 'yaml';
import { escapeYaml } from '../../model/names.ts';

/** Creates a YAML document. Texts that YAML 1.1 would read as a number or a boolean are quoted. */
export function createYaml(value: unknown): Document {
  return new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
}

/**
 * Returns the text of a YAML document. `<<` is quoted, because it would be read as a merge key. Invisible characters
 * need the escapes of double quotes.
 */
export function yamlText(yaml: Document): string {
  visit(yaml, {
    Scalar(_, node) {
      if (/^<<$|(?!\n)[\p{C}\p{Zl}\p{Zp}]/u.test(String(node.value))) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeYaml(yaml.toString({ lineWidth: 0, flowCollectionPadding: false }));
}
