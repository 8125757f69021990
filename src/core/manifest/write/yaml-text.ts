import { Document, visit } from 'yaml';
import { escapeYaml } from '../../model/names.ts';

/** What YAML 1.1 would read as a number or a boolean is quoted in it. */
export function createYaml(value: unknown): Document {
  return new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
}

/** Unquoted, `<<` would be read as a merge key. What cannot be seen needs the escapes of double quotes. */
export function yamlText(yaml: Document): string {
  visit(yaml, {
    Scalar(_, node) {
      if (/^<<$|(?!\n)[\p{C}\p{Zl}\p{Zp}]/u.test(String(node.value))) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeYaml(yaml.toString({ lineWidth: 0, flowCollectionPadding: false }));
}
