// Passes connections on to a port of this machine, each byte so many milliseconds later: a network that is far away.
// Arguments: the port, the milliseconds. Says the port that it listens on.
import { createConnection, createServer, type Socket } from "node:net";

const [port, delayMs] = process.argv.slice(2).map(Number);

function passOn(from: Socket, to: Socket): void {
  from.on("data", (bytes) => void setTimeout(() => to.writable && to.write(bytes), delayMs));
  from.on("end", () => void setTimeout(() => to.end(), delayMs));
  from.on("error", () => to.destroy());
  from.on("close", () => void setTimeout(() => to.destroy(), delayMs));
}

const server = createServer({ noDelay: true }, (near) => {
  const far = createConnection({ port: port ?? 0, host: "127.0.0.1", noDelay: true });
  passOn(near, far);
  passOn(far, near);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(address.port);
});
