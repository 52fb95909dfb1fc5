import type { ConfigProblem } from "../kernel/errors.ts";

export interface NumberRange {
  readonly least?: number;
  /** Least, itself not allowed. */
  readonly above?: number;
  readonly most: number;
  readonly whole?: boolean;
}

/** Reads the fields of one object of a file, and notes what is wrong with each, and which names nobody asked for. */
export class FieldReader {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #problems: ConfigProblem[];
  readonly #asked = new Set<string>();

  private constructor(fields: Readonly<Record<string, unknown>>, path: string, problems: ConfigProblem[]) {
    this.#fields = fields;
    this.#path = path;
    this.#problems = problems;
  }

  /** @returns null, with the problem noted, when the value is no object. */
  static of(value: unknown, path: string, problems: ConfigProblem[], expected: string): FieldReader | null {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return new FieldReader(value as Readonly<Record<string, unknown>>, path, problems);
    }
    problems.push({ path: path === "" ? "(file)" : path, got: shown(value), expected });
    return null;
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }
  value(name: string): unknown {
    this.#asked.add(name);
    return this.#fields[name];
  }

  missing(name: string, expected: string): void {
    this.#problems.push({ path: this.#at(name), got: "nothing", expected });
  }

  number(name: string, range: NumberRange): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    return typeof value === "number" && isWithin(value, range) ? value : this.#refuse(name, rangeText(range));
  }

  required(name: string, range: NumberRange): number {
    const value = this.number(name, range);
    if (value === undefined && !this.has(name)) this.missing(name, rangeText(range));
    return value ?? range.least ?? range.most;
  }

  text(name: string, form: RegExp = /\S/, expected = "text"): string | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    return typeof value === "string" && form.test(value) ? value : this.#refuse(name, expected);
  }

  choice<T extends string | number>(name: string, of: readonly T[], more = ""): T | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    return of.find((one) => one === value) ?? this.#refuse(name, `one of ${of.join(", ")} ${more}`.trimEnd());
  }

  /** `null` in the file is a value of its own. */
  nullable<T>(name: string, read: () => T): T | null | undefined {
    const value = this.value(name);
    return value === undefined || value === null ? value : read();
  }

  /** @returns null when it is absent, or is no object (then noted). */
  object(name: string, expected: string): FieldReader | null {
    const value = this.value(name);
    return value === undefined ? null : FieldReader.of(value, this.#at(name), this.#problems, expected);
  }

  list<T>(name: string, read: (item: FieldReader) => T): T[] {
    const value = this.value(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.#refuse(name, "a list of objects");
      return [];
    }
    return value.flatMap((item: unknown, index) => {
      const reader = FieldReader.of(item, `${this.#at(name)}[${index}]`, this.#problems, "an object");
      return reader === null ? [] : [read(reader)];
    });
  }

  /** Notes the fields that nobody has asked for. */
  nothingElse(): void {
    for (const name of Object.keys(this.#fields)) {
      if (!this.#asked.has(name))
        this.#problems.push({ path: this.#at(name), got: "an unknown name", expected: `one of ${[...this.#asked].join(", ")}` });
    }
  }

  #refuse(name: string, expected: string): undefined {
    this.#problems.push({ path: this.#at(name), got: shown(this.#fields[name]), expected });
    return undefined;
  }

  #at(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 60);
}

export function isWithin(value: number, { least, above, most, whole }: NumberRange): boolean {
  return (
    value <= most &&
    (least === undefined || value >= least) &&
    (above === undefined || value > above) &&
    (whole !== true || Number.isInteger(value))
  );
}

export function rangeText({ least, above, most, whole }: NumberRange): string {
  return `a ${whole === true ? "whole " : ""}number ${above === undefined ? `from ${least ?? 0}` : `above ${above}, at most`}${above === undefined ? " to" : ""} ${most}`;
}
