import type { Planting } from '../support/copy.ts';

const MANIFEST = `"greylisting": {
      "description": "Whether unknown senders have to try twice.",
      "type": "boolean",
      "default": false,
      "examples": [true]
    },
    `;

/** The setting `greylisting` of a domain: a row, the schemas, the emulator. */
export const SETTING: Planting = {
  folder: null,
  edits: {
    'src/core/kinds/domain/fields.ts': [
      ['import { host }', "import { flag } from '../../fields/flag.ts';\nimport { host }"],
      ['  webhook: {', '  greylisting: { codec: flag, optional: true },\n  webhook: {'],
    ],
    'schemas/manifest.v1.schema.json': [
      [
        '"webhook": { "$ref"',
        '"greylisting": { "$ref": "#/$defs/greylisting" },\n        "webhook": { "$ref"',
      ],
      ['"webhook": {\n', `${MANIFEST}"webhook": {\n`],
    ],
    'schemas/history-entry.v1.schema.json': [
      [
        '            "webhook": {',
        '            "greylisting": { "type": "boolean" },\n            "webhook": {',
      ],
    ],
    'schemas/emulator-state.v1.schema.json': [
      ['        "webhook": {', '        "greylisting": { "type": "boolean" },\n        "webhook": {'],
    ],
    'src/emulator/account/model.ts': [
      ['  webhook: string | null;', '  greylisting: boolean;\n  webhook: string | null;'],
    ],
    'src/emulator/account/resources/stored-domains.ts': [
      ['    webhook: null,', '    greylisting: false,\n    webhook: null,'],
      ['    webhook: settingField(', '    greylisting: flagField,\n    webhook: settingField('],
      ['import { domainNameField, ', 'import { domainNameField, flagField, '],
    ],
    'src/emulator/v3/render.ts': [
      ['const { notification_email, webhook,', 'const { greylisting, notification_email, webhook,'],
      ['    webhook,\n', '    greylisting,\n    webhook,\n'],
    ],
  },
};
