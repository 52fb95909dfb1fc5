/** Headers as a list of lower-case names and values, for answers that do not come off the wire; a `HeaderView` by its shape. */
export class ListedHeaders {
  readonly #list: readonly (readonly [string, string])[];

  constructor(list: readonly (readonly [string, string])[]) {
    this.#list = list;
  }

  get(name: string): string | undefined {
    return this.#list.find(([own]) => own === name)?.[1];
  }
  all(name: string): readonly string[] {
    return this.#list.filter(([own]) => own === name).map(([, value]) => value);
  }
  entries(): readonly (readonly [string, string])[] {
    return this.#list;
  }
}
