// The least that a tool turn can cost in Bun: fetch, read, parse, send again with what came added. No tool, no
// session, no checks. Arguments: address, turns.
const [address = "", turns = "0"] = process.argv.slice(2);

const body = growingBytes('{"model":"mock","stream":true,"messages":[{"role":"user","content":"go"}');
for (let turn = 0; turn <= Number(turns); turn++) {
  const response = await fetch(`${address}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: body.endedWith("]}"),
  });
  for (const line of (await response.text()).split("\n")) {
    if (line.startsWith("data: {")) body.add(`,${JSON.stringify(JSON.parse(line.slice(6)))}`);
  }
}

/** Text is encoded once, as it comes: joining all of it for each request would cost more each turn. */
function growingBytes(start: string) {
  let bytes = Buffer.allocUnsafe(64 * 1024);
  let length = bytes.write(start);
  const makeRoom = (more: number): void => {
    if (length + more <= bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (length + more));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  };
  return {
    add: (text: string): void => {
      makeRoom(Buffer.byteLength(text));
      length += bytes.write(text, length);
    },
    endedWith: (text: string): Uint8Array<ArrayBuffer> => {
      makeRoom(Buffer.byteLength(text));
      return bytes.subarray(0, length + bytes.write(text, length));
    },
  };
}

export {};
