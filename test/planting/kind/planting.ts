import type { Planting } from '../support/copy.ts';

const MANIFEST = `"contacts": {
      "description": "Who is asked about the domain, by name.",
      "type": "object",
      "default": {},
      "examples": [{ "office": { "email": "ana@corp.example" } }],
      "additionalProperties": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "state": { "$ref": "#/$defs/state" },
          "email": { "type": "string" },
          "urgent": { "type": "boolean" }
        }
      }
    },
    `;

const SECTION = '"credentials": { "$ref": "#/$defs/credentials" }';
const KIND_ENUM = ['"rule", "credential"]', '"rule", "credential", "contact"]'] as const;
const ROUTES = ["    'GET /credentials': listHandler({", routes()] as const;
const HANDLERS = [
  'const credentials = itemHandlers(',
  'const contacts = itemHandlers(CONTACT_KIND, { render: renderContact });\nconst credentials = itemHandlers(',
] as const;
const IMPORTS = [
  "import { CREDENTIAL_KIND } from '../account/resources/credentials.ts';",
  "import { CREDENTIAL_KIND } from '../account/resources/credentials.ts';\n" +
    "import { CONTACT_KIND, renderContact } from '../account/resources/contacts.ts';",
] as const;

/** The kind `contact`: its folder, a line, the schemas, the emulator. */
export const KIND: Planting = {
  folder: 'kind',
  edits: {
    'src/core/kinds/kinds.ts': [
      ['export { credential }', "export { contact } from './contact/contact.ts';\nexport { credential }"],
    ],
    'schemas/manifest.v1.schema.json': [
      [SECTION, `${SECTION},\n        "contacts": { "$ref": "#/$defs/contacts" }`],
      [
        '"credentials": {\n      "description": "SMTP',
        `${MANIFEST}"credentials": {\n      "description": "SMTP`,
      ],
    ],
    'schemas/plan.v1.schema.json': [KIND_ENUM],
    'schemas/report.v1.schema.json': [KIND_ENUM],
    'schemas/problems.v1.schema.json': [KIND_ENUM],
    'schemas/history.v1.schema.json': [KIND_ENUM],
    'schemas/history-entry.v1.schema.json': [KIND_ENUM],
    'schemas/blame.v1.schema.json': [KIND_ENUM],
    'src/emulator/account/checked.ts': [
      ["  credential: 'unknownStatus',", "  credential: 'unknownStatus',\n  contact: 'unknownStatus',"],
    ],
    'src/emulator/account/state.ts': [
      [
        'export interface DomainRecord {',
        "import type { Contact } from './resources/contacts.ts';\n\n" +
          "export interface DomainRecord {\n  readonly contacts: Table<Contact, 'name', 'created'>;",
      ],
    ],
    'src/emulator/account/resources/stored-domains.ts': [
      [
        "import { createCredentials } from './credentials.ts';",
        "import { createCredentials } from './credentials.ts';\nimport { createContacts } from './contacts.ts';",
      ],
      [
        '    credentials: createCredentials(),',
        '    credentials: createCredentials(),\n    contacts: createContacts(),',
      ],
    ],
    'src/emulator/account/resources/kind.ts': [
      ["'rule' | 'credential';", "'rule' | 'credential' | 'contact';"],
      ["'rules' | 'credentials';", "'rules' | 'credentials' | 'contacts';"],
    ],
    'src/emulator/handlers/listing.ts': [
      ["'rules' | 'credentials';", "'rules' | 'credentials' | 'contacts';"],
    ],
    'src/emulator/v3/v3-routes.ts': [IMPORTS, HANDLERS, ROUTES],
    'src/emulator/v4/v4-routes.ts': [IMPORTS, HANDLERS, ROUTES],
  },
};

function routes(): string {
  return `    'GET /contacts': listHandler({
      plural: 'contacts',
      tableOf: ({ domain }: DomainContext) => domain.contacts,
      render: renderContact,
      bounds: { limit: 20, maximum: 200 },
      orders: ['created_asc'],
    }),
    'POST /contacts': contacts.add,
    'PUT /contacts/:name': contacts.update,
    'DELETE /contacts/:name': contacts.remove,
    'GET /credentials': listHandler({`;
}
