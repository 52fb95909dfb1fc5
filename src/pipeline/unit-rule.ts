/** By what hosts belong together: a key that the authority alone tells, or the address. */
export type UnitRule = { readonly by: "key"; readonly of: (authority: string) => string } | { readonly by: "address" };
