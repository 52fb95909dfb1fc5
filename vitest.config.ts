import { defineConfig } from "vitest/config";

const project = (name: string) => ({ extends: true as const, test: { name, include: [`test/${name}/**/*.test.ts`] } });

export default defineConfig({
  test: {
    // unit: pure and on virtual time. contract: one suite per port, for every adapter. scenario: the whole pipeline on virtual time.
    // e2e: the built program over loopback sockets; `npm test` builds it first.
    projects: [project("unit"), project("contract"), project("scenario"), project("e2e")],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
    // A file that a refactoring emptied must not pass for a tested one.
    passWithNoTests: false,
    reporters: [process.env.CI ? ["default", { summary: false }] : "default", "./tools/closing-line-reporter.mjs"],
  },
});
