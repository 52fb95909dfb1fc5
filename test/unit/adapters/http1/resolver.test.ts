import { describe, expect, test } from "vitest";
import { type Addresses, Resolver, type SystemLookup } from "../../../../src/adapters/http1/resolver.ts";
import type { Clock } from "../../../../src/ports/clock.ts";

/** Time that only moves when told to. */
class ManualClock implements Clock {
  #now = 0;
  #timers: { at: number; run: () => void }[] = [];
  now(): number {
    return this.#now;
  }
  epoch(): number {
    return this.#now;
  }
  after(delay: number, run: () => void): () => void {
    const timer = { at: this.#now + delay, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }
  advance(by: number): void {
    this.#now += by;
    const due = this.#timers.filter((one) => one.at <= this.#now);
    this.#timers = this.#timers.filter((one) => one.at > this.#now);
    for (const timer of due) timer.run();
  }
  get timers(): number {
    return this.#timers.length;
  }
}

type Callback = Parameters<SystemLookup>[2];

function setUp() {
  const clock = new ManualClock();
  const asked: { name: string; callback: Callback }[] = [];
  const lookup: SystemLookup = (name, _options, callback) => asked.push({ name, callback });
  const resolver = new Resolver({ clock, lookup }, { timeout: 3_000 });
  const answers: Addresses[] = [];
  const ask = (name: string): void => resolver.lookup(name, (answer) => answers.push(answer));
  const reply = (at: number, ...addresses: string[]): void =>
    asked[at].callback(
      null,
      addresses.map((address) => ({ address })),
    );
  const fail = (at: number, code: string): void => asked[at].callback(Object.assign(new Error(code), { code }), []);
  return { clock, asked, resolver, answers, ask, reply, fail };
}

const found = (...addresses: string[]): Addresses => ({ kind: "found", addresses });

describe("a resolver", () => {
  test("looks nothing up for an address", () => {
    const { resolver } = setUp();
    expect([resolver.known("192.0.2.1"), resolver.known("::1"), resolver.known("a.test")]).toEqual([["192.0.2.1"], ["::1"], undefined]);
  });

  test("asks once for all that want a name meanwhile, and not again for a minute", () => {
    const { clock, asked, resolver, answers, ask, reply } = setUp();
    ask("a.test");
    ask("a.test");
    reply(0, "192.0.2.1");
    expect(answers).toEqual([found("192.0.2.1"), found("192.0.2.1")]);
    clock.advance(59_000);
    expect(resolver.known("a.test")).toEqual(["192.0.2.1"]);
    clock.advance(2_000);
    expect(resolver.known("a.test")).toBeUndefined();
    expect([asked.length, clock.timers]).toEqual([1, 0]);
  });

  test("tries the families in turn", () => {
    const { answers, ask, reply } = setUp();
    ask("a.test");
    reply(0, "2001:db8::1", "2001:db8::2", "192.0.2.1", "192.0.2.2");
    expect(answers).toEqual([found("2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2")]);
  });

  test("gives up after its time-out, and a late answer is still good for the next", () => {
    const { clock, resolver, answers, ask, reply } = setUp();
    ask("a.test");
    clock.advance(3_000);
    expect(answers).toEqual([{ kind: "missing", message: "no address for a.test: no answer within 3000 ms", silent: true }]);
    reply(0, "192.0.2.1");
    expect([answers.length, resolver.known("a.test")]).toEqual([1, ["192.0.2.1"]]);
  });

  test("serves an old answer while the name servers fail, for an hour", () => {
    const { clock, answers, ask, reply, fail } = setUp();
    ask("a.test");
    reply(0, "192.0.2.1");
    clock.advance(3_000_000);
    ask("a.test");
    fail(1, "EAI_AGAIN");
    expect(answers[1]).toEqual({ ...found("192.0.2.1"), stale: true });
    clock.advance(700_000);
    ask("a.test");
    fail(2, "EAI_AGAIN");
    expect(answers[2]).toEqual({ kind: "missing", message: "no address for a.test: EAI_AGAIN", silent: true });
  });

  test("forgets a name that the name servers say does not exist", () => {
    const { clock, answers, ask, reply, fail } = setUp();
    ask("a.test");
    reply(0, "192.0.2.1");
    clock.advance(100_000);
    ask("a.test");
    fail(1, "ENOTFOUND");
    expect(answers[1].kind).toBe("missing");
  });

  test("has 16 look-ups under way at most, and one that passed its time-out still counts", () => {
    const { clock, asked, answers, ask, reply } = setUp();
    for (let i = 0; i < 40; i += 1) ask(`${i}.test`);
    expect(asked.length).toBe(16);
    clock.advance(3_000);
    expect([asked.length, answers.length]).toEqual([16, 40]);
    ask("late.test");
    expect(asked.length).toBe(16);
    reply(0, "192.0.2.1");
    expect(asked.at(-1)?.name).toBe("late.test");
    expect(asked.length).toBe(17);
  });

  test("answers everybody when it is closed", () => {
    const { clock, answers, ask, resolver } = setUp();
    for (let i = 0; i < 20; i += 1) ask(`${i}.test`);
    resolver.close();
    expect([answers.length, clock.timers]).toEqual([20, 0]);
  });
});
