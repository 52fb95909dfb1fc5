// Prints `N passed, N failed` (and `, N skipped`) alone on the last line, for whoever reads the end of a log by machine.

/** Counts one module: a file that failed to load has no tests, yet must not look like success. */
const count = (module, totals) => {
  let failed = 0;
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === "passed") totals.passed++;
    else if (state === "failed") failed++;
    else totals.skipped++;
  }
  totals.failed += failed === 0 && module.state() === "failed" ? 1 : failed;
};

export default class ClosingLineReporter {
  /** @type {{ passed: number, failed: number, skipped: number }} */
  #totals = { passed: 0, failed: 0, skipped: 0 };

  onInit() {
    // At exit, so that no other reporter's output can come after it.
    process.once("exit", () => {
      const { passed, failed, skipped } = this.#totals;
      process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
    });
  }

  onTestRunEnd(modules, unhandledErrors) {
    this.#totals = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) count(module, this.#totals);
  }
}
