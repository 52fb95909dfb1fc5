// A gateway on loopback for benches: CONNECT only, every name leads to 127.0.0.1, and it counts the bytes of its clients' connections.
import { connect, createServer } from "node:net";

export async function startProxy() {
  const clients = new Set();
  let closed = 0;
  const server = createServer((client) => {
    clients.add(client);
    client.on("error", () => {});
    client.once("close", () => {
      clients.delete(client);
      closed += client.bytesRead + client.bytesWritten;
    });
    client.once("data", (head) => {
      const port = Number(/^CONNECT \S+:(\d+) /.exec(head.toString("latin1"))?.[1]);
      const site = connect({ host: "127.0.0.1", port });
      site.once("connect", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        client.pipe(site);
        site.pipe(client);
      });
      site.on("error", () => client.destroy());
      client.once("close", () => site.destroy());
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://user:secret@127.0.0.1:${server.address().port}`,
    bytes: () => [...clients].reduce((sum, client) => sum + client.bytesRead + client.bytesWritten, closed),
    close: () => {
      for (const client of clients) client.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
