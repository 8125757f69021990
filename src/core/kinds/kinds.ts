// All kinds of resources, one line each.
export { alias } from './alias/alias.ts';
export { credential } from './credential/credential.ts';
export { domain } from './domain/domain.ts';
export { rule } from './rule/rule.ts';
