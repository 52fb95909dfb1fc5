import { expect, test } from "vitest";
import { UnitLine, type UnitMember } from "../../../src/flow/unit-line.ts";
import { seededRandom } from "../../../src/simulate/random.ts";

class Member implements UnitMember {
  lined = false;
  owed = false;
  readonly name: number;
  constructor(name: number) {
    this.name = name;
  }
}

const members = (count: number): Member[] => Array.from({ length: count }, (_, index) => new Member(index));

test("the first stands, the others wait in order, each once however often it asks", () => {
  const line = new UnitLine<Member>();
  const all = members(3);
  expect(all.map((member) => line.enter(member))).toEqual([true, false, false]);
  for (const member of all) line.enter(member);
  expect([line.standing, line.waiting]).toEqual([all[0], 2]);
  expect(line.next(), "somebody stands").toBeUndefined();
  expect([line.leave(all[1]), line.leave(all[0])]).toEqual([false, true]);
  expect([line.next()?.name, line.waiting, all[1].lined]).toEqual([1, 1, false]);
});

test("hosts that always have work are served in turn", () => {
  const line = new UnitLine<Member>();
  const all = members(5);
  for (const member of all) line.enter(member);
  const served: number[] = [];
  for (let turn = 0; turn < 15; turn++) {
    const { standing } = line;
    if (standing === null) throw new Error("nobody stands");
    line.leave(standing);
    served.push(standing.name);
    line.enter(standing);
    line.next();
  }
  expect(served).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
});

test("who had a turn and could not use it goes before those that have not had theirs", () => {
  const line = new UnitLine<Member>();
  const [first, second, third, back] = members(4);
  for (const member of [first, second, third]) line.enter(member);
  back.owed = true;
  line.enter(back);
  line.leave(first);
  expect([line.next(), line.leave(back), line.next()]).toEqual([back, true, second]);
});

test("nobody is lost, and nobody is in the line twice, whatever comes and goes", () => {
  const random = seededRandom(7);
  const line = new UnitLine<Member>();
  const all = members(3_000);
  const out = new Set(all);
  for (let step = 0; step < 60_000; step++) {
    const member = all[Math.floor(random() * all.length)];
    if (random() < 0.5) {
      member.owed = out.has(member) && random() < 0.3;
      line.enter(member);
      out.delete(member);
    } else if (line.standing !== null) {
      out.add(line.standing);
      line.leave(line.standing);
      line.next();
    }
    if (step % 1_000 === 0) expect(line.waiting + (line.standing === null ? 0 : 1)).toBe(all.length - out.size);
  }
  const left = new Set<Member>();
  for (let { standing } = line; standing !== null; { standing } = line) {
    left.add(standing);
    line.leave(standing);
    line.next();
  }
  expect(left.size).toBe(all.length - out.size);
  expect(all.some((member) => member.lined)).toBe(false);
});
