// Prints "N passed, N failed" over vitest JSON reports. A test file that could not be loaded counts as one failure, and so does a
// run that left no report: silence is not success. Exits 1 when anything failed.
import { readFileSync } from 'node:fs';

const paths = process.argv.slice(2);
let passed = 0;
let failed = 0;

for (const path of paths) {
  let report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    failed += 1;
    continue;
  }
  for (const file of report.testResults) {
    const failures = file.assertionResults.filter((test) => test.status === 'failed').length;
    passed += file.assertionResults.filter((test) => test.status === 'passed').length;
    failed += file.status === 'failed' ? Math.max(1, failures) : failures;
  }
}

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
