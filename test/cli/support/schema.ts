import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

/** Compiles each schema once. */
const ajv = new Ajv2020({ validateFormats: false, addUsedSchema: false });

/** Returns the document that a command printed. Throws if it does not match its schema. */
export function expectSchema(schema: AnySchemaObject, text: string): Record<string, unknown> {
  const document = JSON.parse(text) as Record<string, unknown>;
  const validate = ajv.compile(schema);
  expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
  return document;
}
