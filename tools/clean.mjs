// What an earlier build left must not get into the package.
import { rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
