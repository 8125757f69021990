import { describe, expect, test } from 'vitest';
import type { Action, Change } from '../../../../src/core/model/plan.ts';
import {
  courseOfDomain,
  stepsOf,
  tripsOfUpdates,
  type CourseReads,
  type DomainCourse,
} from '../../../../src/core/plan/requests/course.ts';
import { requestsOf } from '../../../../src/core/plan/requests/requests.ts';
import { ACME, change } from '../support/build.ts';

const NO_READS: CourseReads = { before: [], added: [] };
const LISTING = { operation: 'listAliases', domain: ACME, requests: 1 };

const settings = (action: Action): Change => change(ACME, ACME, { kind: 'domain', action });
const credential = (text: string): Change => change(ACME, text, { kind: 'credential', action: 'add' });

/** Returns the requests of a domain's changes in their stage, which is the same for all of them. */
function courseOf(changes: readonly Change[], reads: CourseReads = NO_READS): DomainCourse {
  const [part] = requestsOf({ changes }, { version: 'v4', batches: 'allowed' });
  const [own] = part?.domains ?? [];
  if (own === undefined) throw new Error('nothing to send');
  return courseOfDomain(own, reads, 'v4');
}

const steps = (courses: readonly DomainCourse[]) =>
  stepsOf(courses).map((counts) => Object.fromEntries(counts));

describe('the course of a domain', () => {
  test('its requests wait for each other', () => {
    const course = courseOf([credential('a'), credential('b'), change(ACME, 'info')]);
    expect([course.trips, course.updates]).toEqual([3, 0]);
    expect(steps([course])).toEqual([
      { 'POST /domains/:domain/credentials': 2 },
      { 'PUT /domains/:domain/aliases/:id': 1 },
    ]);
  });

  test('settings are read before they are sent, which takes another trip', () => {
    const course = courseOf([settings('update'), change(ACME, 'info')]);
    expect([course.trips, course.updates]).toEqual([3, 1]);
    expect(steps([course])).toEqual([
      { 'GET /domains/:domain': 1, 'PUT /domains/:domain': 1 },
      { 'PUT /domains/:domain/aliases/:id': 1 },
    ]);
  });

  test('a domain that is added is read after that, before its items are written', () => {
    const course = courseOf([settings('add'), change(ACME, 'info')], { before: [], added: [LISTING] });
    expect([course.trips, course.updates]).toEqual([3, 0]);
    expect(steps([course])).toEqual([
      { 'POST /domains': 1, 'GET /domains/:domain/aliases': 1 },
      { 'PUT /domains/:domain/aliases/:id': 1 },
    ]);
  });

  test('the reads of added domains do not count in one that is there already', () => {
    const course = courseOf([settings('update')], { before: [], added: [LISTING] });
    expect(course.trips).toBe(2);
    expect(steps([course])).toEqual([{ 'GET /domains/:domain': 1, 'PUT /domains/:domain': 1 }]);
  });

  test('reads right before stage 2 come first', () => {
    const gone = change(ACME, 'info', { action: 'delete', stage: 2 });
    const course = courseOf([gone], { before: [LISTING, { ...LISTING, operation: 'listRules' }], added: [] });
    expect(course.trips).toBe(2);
    expect(steps([course])).toEqual([
      { 'GET /domains/:domain/aliases': 1, 'GET /domains/:domain/rules': 1 },
      { 'DELETE /domains/:domain/aliases/:id': 1 },
    ]);
  });
});

describe('courses side by side', () => {
  test('the same steps together, in the order of a run, without those that none of them has', () => {
    const first = courseOf([change(ACME, 'info')]);
    const second = courseOf([change(ACME, 'info'), credential('a')]);
    expect(steps([first, second])).toEqual([
      { 'POST /domains/:domain/credentials': 1 },
      { 'PUT /domains/:domain/aliases/:id': 2 },
    ]);
    expect(steps([])).toEqual([]);
  });

  test('settings are updated one domain at a time, each with its read', () => {
    const [with_, without] = [courseOf([settings('update')]), courseOf([change(ACME, 'info')])];
    expect(tripsOfUpdates([with_, without, with_, with_])).toBe(6);
    expect(tripsOfUpdates([without])).toBe(0);
  });
});
