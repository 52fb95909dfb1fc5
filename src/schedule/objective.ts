/**
 * What a visit is for (spec C7): `freshness`, our copy equals the live page; `events`, every change counts; `age`, a wrong copy is
 * worse the longer it is wrong.
 */
export type Objective = "freshness" | "events" | "age";

/** A rate in changes (or visits) per day. */
export type PerDay = number;

/** A span in days. */
export type Days = number;
