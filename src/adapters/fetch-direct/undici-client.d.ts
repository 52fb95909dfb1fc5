/** The one module of undici that is used; the package declares its types at its front door only. */
declare module "undici/lib/dispatcher/client.js" {
  import type { Client } from "undici";

  const UndiciClient: typeof Client;
  export default UndiciClient;
}
