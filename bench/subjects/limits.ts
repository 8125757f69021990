import { measureShape, SHAPES, timeRatio, type Measured } from '../../test/prove/support/limits/measured.ts';
import type { Section } from '../section.ts';

/** Measures requests, makespan and forecast of runs in virtual time, with accounts and changes of all shapes. */
export async function measureLimits(): Promise<Section> {
  const shapes: Measured[] = [];
  for (let seed = 0; seed < SHAPES; seed += 1) shapes.push(await measureShape(seed, 'large'));
  const broken = shapes.filter(({ run }) => !/^(converged|unchanged)$/.test(run.outcome));
  if (broken.length > 0)
    throw new Error(broken.map(({ about, run }) => `${about}: ${run.outcome}`).join('\n'));
  return {
    title: 'Requests and time under limits',
    text: [
      `The whole reconciler in virtual time against the emulator, with ${SHAPES} accounts and changes of all ` +
        'shapes. Limits are 25 to 200 requests per window of 60 s, fixed and sliding. A run starts anywhere in a ' +
        'window. The least number of requests is computed from the specification alone. The least time is that of ' +
        "a client that knows the service's windows to the millisecond. Times are compared if the least time is a " +
        'window or more. In shorter runs, the first requests dominate, because they learn the limits.',
    ],
    head: ['shape', 'requests', 'least', 'seconds', 'least', 'forecast', 'after the plan'],
    rows: shapes.map(({ about, run, least }) => [
      about.replace(/, seed \d+$/, ''),
      String(run.requests),
      String(least.requests),
      run.total.toFixed(0),
      least.total.toFixed(0),
      (run.forecast?.seconds ?? 0).toFixed(1),
      (run.total - run.reading).toFixed(1),
    ]),
    figures: figuresOf(shapes),
  };
}

function figuresOf(shapes: readonly Measured[]): Section['figures'] {
  const sent = shapes.map(({ run, least }) => run.requests / least.requests);
  const makespans = shapes.map(({ run, least }) => timeRatio(run.total, least.total) ?? 1);
  const forecasts = shapes.filter(({ run }) => run.afterPlan > 0);
  const requests = forecasts.map(({ run }) => (run.forecast?.requests ?? 0) / run.afterPlan);
  const seconds = forecasts.map(
    ({ run }) => timeRatio(run.forecast?.seconds ?? 0, run.total - run.reading) ?? 1,
  );
  const refused = shapes.reduce((sum, { run }) => sum + run.refused, 0);
  return [
    { name: 'requests sent / least possible, greatest', value: Math.max(...sent), atMost: 1 },
    { name: 'makespan / theoretical, greatest', value: Math.max(...makespans), atMost: 1.06 },
    { name: '429s of a single process with a known limit', value: refused, atMost: 0 },
    { name: 'forecast / real: requests, least', value: Math.min(...requests), atMost: 1, atLeast: 1 },
    { name: 'forecast / real: requests, greatest', value: Math.max(...requests), atMost: 1, atLeast: 1 },
    { name: 'forecast / real: seconds, least', value: Math.min(...seconds), atMost: 1.3, atLeast: 0.7 },
    { name: 'forecast / real: seconds, greatest', value: Math.max(...seconds), atMost: 1.3, atLeast: 0.7 },
  ];
}
